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

/** Of a person's prompt. */
const intentParts = {
  constraint:
    "never|must|shall not|forbidden|not allowed|off-limits|off limits|under no circumstances|at all costs|mandatory|do not|don't|dont|hands off|no change|required to|always|leave |no |only|avoid|keep|make sure|ensure|stick to|prefer|limit|stay |without|be sure|remember to|respect|preserve|restrict|has to |have to |need to |needs to |should |backward|cannot |can't |cant |cano |at most|instead of|nie|auf keinen fall|darf nicht|muss|nur|jamais|ne |doit|seulement|uniquement|toujours|nunca|debe|siempre|solamente",
  choice:
    "yes|yep|ok|agreed|sure|fine|good|perfect|right|ja|oui|let's |lets |go with|go for|use |prefer|i want|i chose|i decided|we decided|we agreed|we chose|decision:|take option|option |stick with",
} as const;
/** Bits of what `intentCuesOf` tells. */
export const intentCue = { constraint: 1, choice: 2 } as const;

const [decided, reason, side, failure, later, question] = [1, 2, 4, 8, 16, 32] as const;
const answerCues = gateOf([parts.decided, parts.reason, parts.side, parts.failure, parts.next, parts.question]);
const intentCues = gateOf([intentParts.constraint, intentParts.choice]);
/** Other letters than ASCII. */
const any = 63;

/** One byte a sentence of an answer. Their blanks are single ones. */
export function cuesOf(sentences: readonly string[]): Uint8Array {
  return Uint8Array.from(sentences, (sentence) => {
    const bits = answerCues(sentence);
    if (bits === 0) return 0;
    const isDecision = (bits & decided) !== 0 || (bits & (reason | side)) === (reason | side);
    return (
      (isDecision ? cue.decision : 0) |
      (bits & failure ? cue.failure : 0) |
      (bits & later ? cue.next : 0) |
      (bits & question ? cue.question : 0)
    );
  });
}

/** The same of a prompt's. */
export function intentCuesOf(sentences: readonly string[]): Uint8Array {
  return Uint8Array.from(sentences, (sentence) => intentCues(sentence) & (intentCue.constraint | intentCue.choice));
}

/** Which of the lists of literals has one in the text: a bit each, all of them for other letters than ASCII. */
function gateOf(lists: readonly string[]): (text: string) => number {
  const literals = lists.flatMap((list, bit) => list.split('|').map((literal) => ({ literal, bit: 1 << bit })));
  const { classes, next, shift, firstEnd, ends } = literalScan(literals.map(({ literal }) => literal));
  const bitsOf = Uint8Array.from(ends.map((found) => found.reduce((bits, index) => bits | (literals[index]?.bit ?? 0), 0)));
  return (text) => {
    const { length } = text;
    let bits = 0;
    let state = 0;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 128) return any;
      state = next[(state << shift) | classes[code]!]!;
      if (state >= firstEnd) bits |= bitsOf[state - firstEnd]!;
    }
    return bits;
  };
}
