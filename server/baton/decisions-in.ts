/**
 * Decisions in a text's sentences: what was chosen with its reason, though that stands in the next sentence, and what was
 * considered and not taken, as a note of its own beside it.
 */
import type { DecisionStatement } from './baton.ts';
import { cue } from './cue-gate.ts';
import { decisionScore, foundCause, givesReason, rejectionScore } from './cues.ts';

export interface FoundDecision {
  readonly text: string;
  readonly score: number;
  readonly about: DecisionStatement['about'];
}

/** `cues`: see `cuesOf`. */
export function decisionsIn(sentences: readonly string[], cues: Uint8Array): readonly FoundDecision[] {
  const out: FoundDecision[] = [];
  for (let index = 0; index < sentences.length; index++) {
    if ((cues[index]! & cue.decision) === 0) continue;
    const sentence = sentences[index]!;
    const rejected = rejectionScore(sentence);
    const score = Math.max(rejected, decisionScore(sentence));
    if (score === 0) continue;
    const next = sentences[index + 1] ?? '';
    const about = rejected > 0 ? 'rejected' : foundCause(sentence) ? 'found' : 'chosen';
    // The reason in a sentence of its own.
    if (
      !givesReason(sentence) &&
      (reasonFirst.test(next) || reasonLast.test(next)) &&
      sentence.length + next.length <= 390 &&
      rejectionScore(next) === 0
    ) {
      out.push({ text: `${sentence} ${next}`, score: score + 2, about });
      index++;
    } else out.push({ text: sentence, score, about });
  }
  return out;
}

const reasonFirst =
  /^(?:that way|this way|because|the reason|reason:|why:|it (?:avoids|keeps|makes|means|is (?:simpler|safer|cheaper|faster))|this (?:avoids|keeps|makes|means)|otherwise|so that|so we|damit|denn|grund:|so (?:bleibt|können|vermeiden)|ainsi|raison|car |así|porque|motivo|理由|这样|因为|原因|こうすれば|そうすれば|なぜなら|이유|그래야|так мы|причина|потому)/iu;
/** Where the word for it comes at the end of its clause. */
const reasonLast = /(?:ため|から|ので)(?:です|だ)?。?$|때문(?:입니다|이다|에)?[.。]?$|기 때문/u;
