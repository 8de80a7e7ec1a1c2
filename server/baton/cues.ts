/**
 * Words by which a sentence is known as a constraint, a decision, a failure or a next step. Deterministic and plain: a cue
 * that is missed is still in the last turns or one `loom search` away; a cue that bites wrongly costs a line of the budget.
 * English first, with the plainest words of German, French, Spanish, Chinese, Japanese and Korean.
 */

const strongConstraint =
  /\b(?:never|must(?:n['’]t)?|shall not|forbidden|not allowed|off[- ]limits|under no circumstances|at all costs|mandatory|do not|don['’]?t(?! (?:know|think|understand|see|worry|mind|have|get|remember|want it to fail))|hands off|no changes? to|required to|always|leave \S{1,60} (?:alone|untouched|as (?:it|they)))\b/i;
const weakConstraint =
  /^no (?!problem|worries|idea|one|doubt|need|luck|rush|thanks|way|longer|matter)\p{L}+(?: \S+){0,5}[.!]?$|^(?:(?:please|pls|plz|and|but|also|then|so|oh|ok|okay|hey|well|btw|by the way|one more thing|finally|plus|just)[,:]? )*(?:only|avoid|keep|make sure|ensure|stick to|prefer|use only|limit|stay (?:within|on)|without|no (?:new|more|external|extra|breaking|other)|be sure|remember to|respect|preserve|restrict)\b|\b(?:only (?:touch|use|change|edit|modify|in|the)|without (?:touching|changing|adding|breaking|using|any)|(?:has|have|needs?) to (?:stay|remain|keep|work|be|pass|support)|must still|should (?:not|never|only|still|always|stay|remain)|backwards?[- ]compatible|(?<!\bi )can(?:no|['’]?)t (?:go|use|be|have|change|touch|break|exceed|add|rely|drop|afford|allow|take|require|ship|lose)|at most|no later than|instead of)\b/iu;
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
  /(?<![\p{L}\p{N}])(?:decid(?:ed|ing) (?:to|on|against|that|for)|decision:|(?:i|we)['’]?(?:ll| will| am|['’]m| are|['’]re) (?:go(?:ing)? (?:with|for)|us(?:e|ing)|keep(?:ing)?|switch(?:ing)? to|stick(?:ing)? (?:with|to)|drop(?:ping)?|avoid(?:ing)?|replac(?:e|ing)|stor(?:e|ing))|(?:went|going|go) with|chose|chosen:|choosing|opt(?:ed|ing) (?:for|to)|settled (?:on|for)|picked|agreed (?:to|on|that)|the plan is to|prefer(?:red)? \S{1,80} (?:over|to)|conclusion:|entschieden|entscheidung:|(?:ich|wir) (?:nehme|nehmen|verwende|verwenden|setze|setzen auf)|(?:j['’]ai|nous avons|on a) (?:choisi|décidé|opté|retenu)|nous utiliserons|on (?:part|garde|utilise)|décision ?:|(?:he|hemos) (?:decidido|elegido|optado)|decid(?:imos|í)|usar(?:é|emos)|decisión:|ho (?:deciso|scelto)|decidi|escolhi|optei)(?![\p{L}])|决定|采用|选择了|选用|改用|に決め|にします|を採用|ことにし|하기로|선택했|решил|выбрал|решено/iu;
const found =
  /(?<![\p{L}\p{N}])(?:root cause|the (?:real |actual |underlying )?(?:cause|problem|bug|issue|culprit) (?:is|was|turns? out)|turns? out(?: that)?|it happens because|this is because|caused by|ursache|la cause|la causa)\b|(?:根本)?原因(?:是|は)|원인은|причина в/iu;
const contrast =
  /(?<![\p{L}\p{N}])(?:instead of|rather than|over the|not the|statt|anstatt|au lieu de|plutôt que|en (?:vez|lugar) de)\b|而不是|ではなく|대신|вместо/iu;
const reason =
  /(?<![\p{L}\p{N}])(?:because|since|so that|due to|as (?:it|they|this|that|the)|to avoid|in order to|otherwise|weil|damit|denn|sonst|parce que|car|afin|pour éviter|porque|ya que|para que|perché|poiché)\b|因为|由于|为了|以便|避免|ため|ので|때문|потому что|так как|чтобы/iu;
/** With a reason these are decisions too, without one they are steps. */
const intends =
  /(?<![\p{L}\p{N}])(?:(?:i|we)['’]?(?:ll| will|['’]m going to| am going to| are going to) (?:\w{1,12}ly )?\p{L}+|let['’]s \p{L}+|(?:goes|belongs|stays|lives) (?:in|into|with|on|under)|(?:better|simpler|safer|cheaper|faster|cleaner|more robust) (?:than|here|because|since)|using|relies on)(?![\p{L}])/iu;

export function decisionScore(sentence: string): number {
  if (sentence.length < 12 || sentence.length > 500 || /[?？]$/.test(sentence)) return 0;
  const chosen = decided.test(sentence);
  const cause = found.test(sentence);
  const why = reason.test(sentence);
  const against = contrast.test(sentence);
  if (!chosen && !cause && !(why && (against || intends.test(sentence)))) return 0;
  return 1 + (chosen ? 1 : 0) + (cause ? 1 : 0) + (why ? 2 : 0) + (against ? 1 : 0);
}
export const givesReason = (sentence: string): boolean => reason.test(sentence);
export const foundCause = (sentence: string): boolean => found.test(sentence) && !decided.test(sentence);

const rejected =
  /(?<![\p{L}\p{N}])(?:rul(?:ed|ing) out|rejected|discarded|dismissed|decided against|opted against|turned down|(?:i|we) (?:won['’]t|will not|did not|didn['’]t) (?:use|go with|take|pick|choose)|not (?:going|worth going) with|passed on|verworfen|ausgeschlossen|dagegen entschieden|abgelehnt|écarté|rejeté|abandonné|descart(?:é|amos|ado|ada)|rechaz(?:é|amos|ado|ada)|scartat[oa]|descartad[oa])(?![\p{L}])|放弃了|不采用|没有采用|没有选|排除了|否决|採用しな|採用しませ|見送|却下|채택하지|배제했|отказал(?:ся|ись) от|отверг|отклон/iu;
const weighed =
  /(?<![\p{L}\p{N}])(?:(?:i|we|i['’]ve|we['’]ve|have|also|was|were|been|briefly) (?:considered|evaluated|weighed)|considered (?:using|adding|making)|looked (?:at|into) .{1,80} (?:but|however)|thought (?:about|of)|the (?:alternative|other option|other way)|an alternative|alternatively|another option|option [a-d1-9]|erwogen|überlegt|die alternative|envisagé|l['’]alternative|consider(?:é|amos|ado)|la alternativa|valutato)(?![\p{L}])|考虑过|另一个方案|备选|検討し|代替案|別案|고려했|대안|рассматривал|альтернатив/iu;
const turned =
  /(?<![\p{L}\p{N}])(?:but|however|yet|would|is|was|are|needs?|requires?|too|because|since|doesn['’]t|does not|can['’]t|cannot|aber|jedoch|würde|braucht|mais|nécessite|serait|trop|pero|necesita|requiere|sería|demasiado|ma|però)(?![\p{L}])|但|不过|需要|会|が、|けど|しかし|だが|지만|но /iu;
/** An alternative that was considered and not taken. */
export function rejectionScore(sentence: string): number {
  if (sentence.length < 12 || sentence.length > 500 || /[?？]$/.test(sentence)) return 0;
  const said = rejected.test(sentence);
  if (!said && !(weighed.test(sentence) && turned.test(sentence))) return 0;
  return 3 + (reason.test(sentence) || turned.test(sentence) ? 1 : 0);
}

const personDecides =
  /^(?:yes|yep|ok(?:ay)?|agreed|sure|fine|good|perfect|right|ja|oui|sí|好|はい)\b.{0,8}\b\p{L}|\b(?:let['’]s (?:go with|use|keep|do|drop|stick)|go with|go for|use \S.{0,80} instead|i(?:['’]d)? prefer|i (?:want|chose|decided)|we (?:decided|agreed|chose)|decision:|take option|option [a-d1-9]\b|stick with)\b/iu;
export function personDecisionScore(sentence: string): number {
  return sentence.length >= 8 && sentence.length <= 400 && !sentence.endsWith('?') && personDecides.test(sentence) ? 4 : 0;
}

const saidFailed =
  /(?<![\p{L}\p{N}])(?:(?:did|does|do|would|will)(?:n['’]t| not) (?:work|help|fix|solve)|still (?:fail|broken|red|flaky|hang|deadlock|crash|the same error)\w*|no luck|dead end|revert(?:ed|ing)? (?:it|that|this|the|my|these|those|back|to|`)|roll(?:ed|ing)? (?:it |that |this )?back|back(?:ed|ing)? (?:it |that )?out|undo(?:ing)? (?:it|that|this|the|my)|(?:attempt|approach|idea|fix|workaround|try) (?:failed|was wrong|did ?n['’]t|does ?n['’]t|deadlock\w*|broke|breaks|is a dead)|turned out (?:to be )?(?:wrong|not)|abandon(?:ed|ing)|gave up|deadlock(?:s|ed)?\b.{0,60}\bso\b|made (?:it|things) worse|too slow so|funktioniert (?:so )?nicht|klappt nicht|macht? .{0,40}rückgängig|zurückgenommen|ne (?:marche|fonctionne) pas|annul(?:e|é) |j['’]annule|no (?:funciona|funcionó|sirve)|lo revierto|revertido|não funcion(?:a|ou)|non funziona)|行不通|没有用|不起作用|撤销|うまくいか|元に戻|失敗|효과가 없|되돌리|되돌렸|실패|не (?:сработал|помог|работает)|откат(?:ил|ыва)/iu;
export function failureSaid(sentence: string): boolean {
  return sentence.length <= 500 && saidFailed.test(sentence);
}

const refusal =
  /^(?:na+h+\b|(?:h+m+|uh+|err?|well|sorry)[, ]+(?:no|nah|not)\b|i (?:never|did(?:n['’]t| not)) ask(?:ed)?\b|no+\b(?! (?:problem|worries|need|rush|idea|one|doubt))|nope|nein|non\b|stop\b|wait\b|wrong|that['’]?s (?:not|wrong)|that is (?:not|wrong)|this is (?:not|wrong)|not (?:that|like|what|this)|don['’]t do (?:that|this)|please (?:revert|undo)|undo\b|revert\b|roll (?:it |that )?back|i (?:said|told you)|you (?:broke|should not|shouldn['’]t)|why did you|不对|不是|违います|違う|아니)/iu;
export function isRefusal(prompt: string): boolean {
  return refusal.test(prompt.trim());
}

const nextSaid =
  /(?<![\p{L}\p{N}])(?:next(?: step| up|,|:)|next i|(?:i['’]ll|i will|i am going to|i['’]m going to) (?:now|next|then)|(?:then|after that|afterwards) i(?:['’]ll| will)|remaining(?: work| steps?| is|:)|still (?:need|to do|left|missing|open|have to)|left to do|to be done|not yet|todos?:|follow[- ]up|(?:what['’]s|what is) left|als nächstes|nächster schritt|danach (?:werde|schreibe|mache)|ensuite|prochaine étape|il reste à|(?:el )?siguiente paso|a continuación|queda por|próximo passo|em seguida|prossimo passo)(?![\p{L}])|下一步|接下来|然后我会|次は|次に|続いて|다음(?:으로|은| 단계)|이어서|(?:дальше|далее|затем) |следующи[йм] шаг|осталось /iu;
export function nextScore(sentence: string): number {
  return sentence.length >= 8 && sentence.length <= 400 && nextSaid.test(sentence) ? 2 : 0;
}

/** A prompt that asks for nothing by itself: a greeting, a nod, "continue". */
export function isTrivial(prompt: string): boolean {
  if (prompt.length > 60) return false;
  const parts = prompt
    .trim()
    .toLowerCase()
    .split(/[\s!.…,;?！。，、？]+$|[!.…,;！。，、]+\s*/)
    .filter((part) => part !== '');
  return parts.every((part) => part.length < 2 || nod.test(part));
}
const nod =
  /^(?:hi|hello|hey|hallo|ok(?:ay)?|yes|y|yep|sure|(?:many )?thanks?(?: you)?(?: so much)?|thx|great|good|nice|cool|perfect|(?:please )?continue|(?:just )?(?:go on|go ahead|proceed|keep going|carry on)|looks? good(?: so far| to me)?|sounds good|weiter|danke|resume|retry|try again|again|test|ping|lgtm|done|next|do it|no|n|stop|merci|continue[sz]?|gracias|sigue|好|好的|继续|谢谢|はい|続けて(?:ください)?|ありがとう(?:ございます)?|계속(?:해 ?주세요)?|감사합니다)$/;
