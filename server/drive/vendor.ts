/** Whose models a harness sends a thread to. pi and OpenClaw send it to whatever model the person has chosen there: that can be anybody's. */
import type { HarnessId } from '../../shuttles/contract/harness.ts';

const vendors: Readonly<Record<HarnessId, string | null>> = {
  claude: 'Anthropic',
  codex: 'OpenAI',
  antigravity: 'Google',
  gemini: 'Google',
  pi: null,
  openclaw: null,
};

/** Does what goes from one to the other surely stay with one vendor? */
export function isSameVendor(from: HarnessId, to: HarnessId): boolean {
  return from === to || (vendors[from] !== null && vendors[from] === vendors[to]);
}

/** In words; where nobody can say whose it is: that. */
export function vendorOf(harness: HarnessId): string {
  return vendors[harness] ?? 'the vendor of the model that is set there';
}
