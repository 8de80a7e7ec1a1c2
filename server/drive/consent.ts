/**
 * A thread goes to another vendor only when a person has agreed to that: for this time, or once and for all for the two harnesses in this
 * folder. What was agreed, and how, stands in the audit row of the hand-over.
 */
import type { Consent } from '../ledger/consents-table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams, ContinueResult } from '../protocol/requests.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import { isSameVendor, vendorOf } from './vendor.ts';

/** `remembered`: agreed to before. `needed`: nobody has agreed. */
export type Agreement = 'notNeeded' | 'remembered' | 'once' | 'always' | 'needed';

export function agreementOf(ledger: Ledger, consent: Consent, confirmed: ContinueParams['confirmed']): Agreement {
  if (isSameVendor(consent.from, consent.to)) return 'notNeeded';
  if (confirmed === 'always') return 'always';
  if (ledger.consents.has(consent)) return 'remembered';
  return confirmed ?? 'needed';
}

export function consentShown(agreement: Agreement): ContinueResult['consent'] {
  return agreement === 'notNeeded' || agreement === 'needed' ? agreement : 'given';
}

/** Throws `Fault` C010. */
export function refuseWithout(agreement: Agreement, { from, to, folder }: Consent): void {
  if (agreement !== 'needed') return;
  throw new Fault('C010', `from ${harnessNames[from]} to ${harnessNames[to]}, and so to ${vendorOf(to)}, in ${folder}.`);
}
