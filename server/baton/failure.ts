/** Failures in the state: the same one again is counted, a command that goes well later resolves its failures, the list stays bounded. */
import type { BatonState, FailureNote } from './baton-state.ts';
import { evidence, limits, withoutWeakest } from './baton-state.ts';

export type NewFailure = Omit<FailureNote, 'same' | 'times' | 'resolved' | 'resolvedBy' | 'line'> & { readonly line?: string };

export function withFailure(state: BatonState, fresh: NewFailure): BatonState {
  const failure = { line: '', ...fresh };
  const same = `${failure.kind}\0${failure.command}\0${`${failure.text}\0${failure.line}`.replace(/\d+(?:\.\d+)?/g, '0')}`;
  const known = state.failures.findIndex((other) => other.same === same);
  if (known >= 0) {
    const before = state.failures[known]!;
    const again: FailureNote = {
      ...before,
      text: failure.text,
      line: failure.line,
      entries: evidence(before.entries, failure.entries),
      times: before.times + 1,
      resolved: false,
      resolvedBy: 0,
    };
    return { ...state, failures: [...state.failures.filter((_, index) => index !== known), again] };
  }
  const failures = [...state.failures, { ...failure, same, times: 1, resolved: false, resolvedBy: 0 }];
  if (failures.length <= limits.failures) return { ...state, failures };
  const resolved = failures.findIndex((other) => other.resolved);
  return { ...state, failures: resolved >= 0 ? failures.filter((_, index) => index !== resolved) : withoutWeakest(failures) };
}

/** The command went well: what it failed with before is history, still worth knowing. */
export function withSuccess(state: BatonState, command: string, entry: number): BatonState {
  if (command === '' || !state.failures.some((failure) => failure.command === command && !failure.resolved)) return state;
  return {
    ...state,
    failures: state.failures.map((failure) =>
      failure.command === command && !failure.resolved ? { ...failure, resolved: true, resolvedBy: entry } : failure,
    ),
  };
}
