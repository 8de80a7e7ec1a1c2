/**
 * How many tokens a text costs, as an estimate that no tokenizer is needed for: four ASCII characters a token, two of the
 * Latin, Greek, Cyrillic or Arabic kind, one of CJK and other wide scripts, half of a pair (emoji cost about two). Counted in
 * quarters, so that the estimate of a whole is the sum of its parts' and a budget can be kept exactly.
 */
export function quarterTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) quarters += 1;
    else if (code < 0x800) quarters += 2;
    else quarters += 4;
  }
  return quarters;
}

/** Whole tokens, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(quarterTokens(text) / 4);
}
