/**
 * Words by which a sentence is known as a constraint, a decision, a failure or a next step. Deterministic and plain: a cue
 * that is missed is still in the last turns or one `loom search` away; a cue that bites wrongly costs a line of the budget.
 * English first, with the plainest words of German, French, Spanish, Chinese, Japanese and Korean.
 */

const strongConstraint =
  /\b(?:never|must(?:n['’]t)?|shall not|forbidden|not allowed|off[- ]limits|under no circumstances|at all costs|mandatory|do not|don['’]t(?! (?:know|think|understand|see|worry|mind|have|get|remember|want it to fail))|hands off|no changes? to|required to|always|leave \S{1,60} (?:alone|untouched|as (?:it|they)))\b/i;
const weakConstraint =
  /^(?:please[, ]+|and |but |also,? |then |so )?(?:only|avoid|keep|make sure|ensure|stick to|prefer|use only|limit|stay (?:within|on)|without|no (?:new|more|external|extra|breaking|other)|be sure|remember to|respect|preserve|restrict)\b|\b(?:only (?:touch|use|change|edit|modify|in|the)|without (?:touching|changing|adding|breaking|using|any)|(?:has|have|needs?) to (?:stay|remain|keep|work|be|pass|support)|must still|should (?:not|never|only|still|always|stay|remain)|backwards?[- ]compatible|at most|no later than|instead of)\b/i;
const otherConstraint =
  /\b(?:niemals|nie|auf keinen fall|darf nicht|dürfen nicht|nicht ändern|muss|müssen|nur|jamais|ne [\p{L}']{1,20} pas|doit|seulement|uniquement|toujours|nunca|jamás|no (?:toques|cambies|uses|debes)|debe|siempre|solamente)\b|不要|不能|不得|必须|只能|只用|禁止|务必|千万别|しないで|してはいけない|必ず|のみ|だけを|ないでください|하지 ?마|반드시|금지/iu;
/** A person's own state, and questions: no orders. */
const noConstraint =
  /^(?:i|we|they|it|he|she|this|that|there|why|how|what|when|where|who|is|are|does|did|do you|can you explain)\b(?=.{0,40}\b(?:don['’]t|never|always|must be|must have)\b)|\?\s*$/i;

/** 0: no constraint; more is surer. */
export function constraintScore(sentence: string): number {
  if (sentence.length > 500 || (noConstraint.test(sentence) && !/\bplease\b/i.test(sentence))) return 0;
  if (strongConstraint.test(sentence)) return 3;
  if (otherConstraint.test(sentence)) return 2;
  return weakConstraint.test(sentence) ? 2 : 0;
}

const decided =
  /\b(?:decid(?:ed|ing) (?:to|on|against|that)|decision:|(?:i|we)['’]?(?:ll| will| am|['’]m| are|['’]re) (?:go(?:ing)? (?:with|for)|us(?:e|ing)|keep(?:ing)?|switch(?:ing)? to|stick(?:ing)? (?:with|to)|drop(?:ping)?|avoid(?:ing)?|replac(?:e|ing)|stor(?:e|ing))|(?:went|going|go) with|chose|choosing|opt(?:ed|ing) (?:for|to)|settled on|picked|agreed (?:to|on|that)|the plan is to|ruled out|rejected|prefer(?:red)? \S{1,80} over|conclusion:|entschieden|nous utiliserons|on (?:part|garde)|decidimos|决定|采用|に決め|にします)/iu;
const found =
  /\b(?:root cause|the (?:real |actual |underlying )?(?:cause|problem|bug|issue|culprit) (?:is|was|turns? out)|turns? out(?: that)?|it happens because|this is because|caused by|原因是|原因は)\b/iu;
const contrast = /\b(?:instead of|rather than|over the|not the)\b/i;
const reason =
  /\b(?:because|since|so that|due to|as (?:it|they|this|that|the)|to avoid|in order to|otherwise|weil|damit|parce que|porque)\b|因为|ため/iu;

export function decisionScore(sentence: string): number {
  if (sentence.length < 12 || sentence.length > 500 || sentence.endsWith('?')) return 0;
  const chosen = decided.test(sentence);
  const cause = found.test(sentence);
  if (!chosen && !cause && !(contrast.test(sentence) && reason.test(sentence))) return 0;
  return 1 + (chosen ? 1 : 0) + (cause ? 1 : 0) + (reason.test(sentence) ? 2 : 0) + (contrast.test(sentence) ? 1 : 0);
}

const personDecides =
  /^(?:yes|yep|ok(?:ay)?|agreed|sure|fine|good|perfect|right|ja|oui|sí|好|はい)\b.{0,8}\b\p{L}|\b(?:let['’]s (?:go with|use|keep|do|drop|stick)|go with|go for|use \S.{0,80} instead|i(?:['’]d)? prefer|i (?:want|chose|decided)|we (?:decided|agreed|chose)|decision:|take option|option [a-d1-9]\b|stick with)\b/iu;
export function personDecisionScore(sentence: string): number {
  return sentence.length >= 8 && sentence.length <= 400 && !sentence.endsWith('?') && personDecides.test(sentence) ? 4 : 0;
}

const saidFailed =
  /\b(?:(?:did|does|do|would|will)(?:n['’]t| not) (?:work|help|fix|solve)|still (?:fail|broken|red|flaky|hang|deadlock|crash|the same error)\w*|no luck|dead end|revert(?:ed|ing)? (?:it|that|this|the|my|these|those|back|to|`)|roll(?:ed|ing)? (?:it |that |this )?back|back(?:ed|ing)? (?:it |that )?out|undo(?:ing)? (?:it|that|this|the|my)|(?:attempt|approach|idea|fix|workaround|try) (?:failed|was wrong|did ?n['’]t|does ?n['’]t|deadlock\w*|broke|breaks|is a dead)|turned out (?:to be )?(?:wrong|not)|abandon(?:ed|ing)|gave up|deadlock(?:s|ed)?\b.{0,60}\bso\b|made (?:it|things) worse|too slow so|funktioniert nicht|ne (?:marche|fonctionne) pas|no funciona|行不通|没有用|うまくいか)/iu;
export function failureSaid(sentence: string): boolean {
  return sentence.length <= 500 && saidFailed.test(sentence);
}

const refusal =
  /^(?:no+\b(?! (?:problem|worries|need|rush|idea|one|doubt))|nope|nein|non\b|stop\b|wait\b|wrong|that['’]?s (?:not|wrong)|that is (?:not|wrong)|this is (?:not|wrong)|not (?:that|like|what|this)|don['’]t do (?:that|this)|please (?:revert|undo)|undo\b|revert\b|roll (?:it |that )?back|i (?:said|told you)|you (?:broke|should not|shouldn['’]t)|why did you|不对|不是|违います|違う|아니)/iu;
export function isRefusal(prompt: string): boolean {
  return refusal.test(prompt.trim());
}

const nextSaid =
  /\b(?:next(?: step| up|,)|next i|(?:i['’]ll|i will|i am going to|i['’]m going to) (?:now|next|then)|then i(?:['’]ll| will)|remaining(?: work| steps?| is|:)|still (?:need|to do|left|missing|open|have to)|left to do|to be done|not yet|todos?:|follow[- ]up|(?:what['’]s|what is) left|als nächstes|ensuite|prochaine étape|siguiente paso|下一步|接下来|次は|次に)/iu;
export function nextScore(sentence: string): number {
  return sentence.length >= 8 && sentence.length <= 400 && nextSaid.test(sentence) ? 2 : 0;
}

/** A prompt that asks for nothing by itself: a greeting, a nod, "continue". */
export function isTrivial(prompt: string): boolean {
  if (prompt.length > 60) return false;
  const text = prompt
    .trim()
    .toLowerCase()
    .replace(/[\s!.…,?]+$/g, '');
  if (text.length < 2) return true;
  return /^(?:hi|hello|hey|hallo|ok(?:ay)?|yes|y|yep|sure|thanks?(?: you)?|thx|great|good|nice|cool|perfect|continue|go on|go ahead|proceed|keep going|weiter|resume|retry|try again|again|test|ping|lgtm|done|next|please continue|do it|no|n|stop|好|好的|继续|はい|続けて|계속)$/.test(
    text,
  );
}
