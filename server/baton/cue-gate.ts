/**
 * Which kinds of cues may stand in a sentence, told in one walk, so that the patterns in cues.ts are tried only where one can bite. Wider than
 * those patterns, never narrower: a test holds them to each other. A sentence in other letters than ASCII may hold any.
 */
import { literalScan } from './literal-scan.ts';

/** Bits of what `cuesOf` tells. */
export const cue = { decision: 1, failure: 2, next: 4, question: 8 } as const;

/** Separated by bars. */
const parts = {
  decided:
    "decid|decision:|i'll |we'll |ill |well |i will |we will |i am |we am |i are |we are |'m |'re |i' will |we' will |i' am |we' am |i' are |we' are |go with|went with|going with|chose|choosing|opted|opting|settled |picked|agreed |the plan is to|prefer|conclusion:|entschieden|entscheidung:|ich nehme|ich verwende|ich setze|wir nehme|wir verwende|wir setze|retenu|choisi|nous utiliserons|on part|on garde|on utilise|elegido|optado|usaremos|deciso|scelto|escolhi|optei|root cause|the cause|the real |the actual |the underlying |the problem|the bug|the issue|the culprit|turn out|turns out|it happens because|this is because|caused by|ursache|la cause|la causa|ruled out|ruling out|rejected|discarded|dismissed|turned down|won't |wont |will not |did not |didn't |didnt |passed on|verworfen|ausgeschlossen|abgelehnt|descarta|rechaza|scartat|consider|evaluated|weighed|looked |thought |alternativ|other option|other way|another option|option |erwogen|valutato",
  reason:
    'because|since|so that|due to|as it|as they|as this|as that|as the|to avoid|in order to|otherwise|weil|damit|denn|sonst|parce que|car|afin|porque|ya que|para que',
  side: "instead of|rather than|over the|not the|statt|au lieu de|en vez de|en lugar de|i'll |we'll |ill |well |i will |we will |i' will |we' will |going to |let's |lets |goes |belongs |stays |lives |better |simpler |safer |cheaper |faster |cleaner |more robust |using|relies on",
  failure:
    "n't work|n't help|n't fix|n't solve|not work|not help|not fix|not solve|still |no luck|dead end|revert|roll|back it out|back that out|back out|backed |backing |undo|attempt |approach |idea |fix |workaround |try |turned out |abandon|gave up|deadlock|worse|too slow so|funktioniert |klappt nicht|ne marche pas|ne fonctionne pas|annule|no funciona|no sirve|lo revierto|non funziona",
  next: "next|i'll|i will|going to |remaining|still |left to do|to be done|not yet|todo|follow-up|follow up|what's left|what is left|danach |ensuite|siguiente paso|queda por|em seguida|prossimo passo",
  question: '?|open question|question for you|unclear |need your|needs your|offene frage|question ouverte|pregunta abierta',
} as const;

const names = ['decided', 'reason', 'side', 'failure', 'next', 'question'] as const;
const literals = names.flatMap((name, bit) => parts[name].split('|').map((literal) => ({ literal, bit: 1 << bit })));
const { classes, next, shift, firstEnd, ends } = literalScan(literals.map(({ literal }) => literal));
const bitsOf = Uint8Array.from(ends.map((found) => found.reduce((bits, index) => bits | (literals[index]?.bit ?? 0), 0)));
const [decided, reason, side, failure, later, question] = [1, 2, 4, 8, 16, 32] as const;
const any = 15;

/** One byte a sentence. Their blanks are single ones. */
export function cuesOf(sentences: readonly string[]): Uint8Array {
  return Uint8Array.from(sentences, cuesIn);
}

function cuesIn(sentence: string): number {
  const { length } = sentence;
  let bits = 0;
  let state = 0;
  for (let at = 0; at < length; at++) {
    const code = sentence.charCodeAt(at);
    if (code >= 128) return any;
    state = next[(state << shift) | classes[code]!]!;
    if (state >= firstEnd) bits |= bitsOf[state - firstEnd]!;
  }
  if (bits === 0) return 0;
  const isDecision = (bits & decided) !== 0 || (bits & (reason | side)) === (reason | side);
  return (
    (isDecision ? cue.decision : 0) |
    (bits & failure ? cue.failure : 0) |
    (bits & later ? cue.next : 0) |
    (bits & question ? cue.question : 0)
  );
}
