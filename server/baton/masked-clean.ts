/**
 * Text as it may leave: masked and clean. Masked before it is cleaned, because a colour code can be all that tells a secret from the
 * word before it, and once more behind it, because an invisible character within a secret hides its shape.
 */
import type { Masked, Masker } from './mask.ts';

/** `clean`: takes out what must not leave. */
export function maskedAndClean(text: string, masker: Pick<Masker, 'mask'>, clean: (text: string) => string): Masked {
  const masked = masker.mask(text);
  const cleaned = clean(masked.text);
  if (cleaned === masked.text) return masked;
  const again = masker.mask(cleaned);
  return { text: again.text, count: masked.count + again.count };
}
