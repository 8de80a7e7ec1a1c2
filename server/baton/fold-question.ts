/**
 * Questions that wait: the agent's, until the person's words answer them, and the person's, until the agent speaks of the same.
 * Told by words alone; one that was answered in other words ages out after three prompts. Polite ends ("anything else?") and
 * requests in the form of a question ("can you fix it?") are none.
 */
import type { BatonState, QuestionNote } from './baton-state.ts';
import { limits, withNotes } from './baton-state.ts';
import { clip } from './clean-text.ts';
import { cue } from './cue-gate.ts';
import { sharesWords } from './content-words.ts';

const asks = /[?？]["'”’)\]»*_]*$|(?:ですか|ますか|でしょうか|ませんか|吗|呢|까요|나요|습니까)[。.?？]?$/u;
const waits =
  /^(?:(?:and|but|so|also)[, ]+)?(?:should|shall|must) |(?<![\p{L}\p{N}])(?:should (?:i|we|it|the|this|that)|shall (?:i|we)|do you (?:want|prefer|have|know|need|mean)|would you (?:like|prefer|rather)|which (?:one|of|way|option|do|should|would)|what (?:do you|should|would you|is your)|your (?:call|preference|decision|choice)|want me to|(?:is it|are you) (?:ok(?:ay)?|fine)|may i|open question|question for you|one question|unclear (?:whether|if)|need(?:s)? (?:your|a) (?:decision|input|answer|confirmation|call)|waiting (?:for|on) (?:you|your)|please (?:confirm|decide|advise)|let me know (?:whether|which|if (?:i|we|it|the|that|this) (?:should|shall|may|can))|soll(?:en|te|ten)? (?:ich|wir|es|die|der|das)|(?:möchtest|willst|möchten|wollen) (?:du|sie)|offene frage|(?:dois|devons)-(?:je|nous)|faut-il|(?:souhaite[sz]|veux|voulez|préfère[sz])-?(?:tu|vous)?|question ouverte|(?:debo|debemos|debería(?:mos)?|quieres|prefieres|hay que)|pregunta abierta|(?:devo|dobbiamo|vuoi|preferisci|devemos|quer que|prefere))\b|是否|要不要|需要.{0,12}吗|还是|待确认|未决|どちら|べきでしょうか|しますか|ましょうか|未解決|할까요|해야 ?하나요|нужно ли|следует ли|стоит ли|хотите|открытый вопрос/iu;
const polite =
  /(?<![\p{L}\p{N}])(?:anything else|something else|any (?:other )?questions|how (?:can|may) i|what can i|can i help|help you with|need anything|look good|make sense|sound good|ready to)\b|还有什么|他に何か|noch etwas|autre chose|algo más/iu;
/** Without a mark of interrogation only what says that it is a question counts. */
const named =
  /(?<![\p{L}\p{N}])(?:open question|question for you|unclear (?:whether|if)|need(?:s)? your (?:decision|input|answer|confirmation)|offene frage|question ouverte|pregunta abierta)\b|待确认|未决问题|未解決の(?:質問|問題)|открытый вопрос/iu;
const request =
  /^(?:(?:so|and|also|but|ok(?:ay)?|please|hi|hello)[, ]+)?(?:can|could|would|will|won['’]t) (?:you|we|u)\b|^(?:kannst|könntest|peux|pourrais|pouvez|puedes|podrías|puoi|pode)\b/i;

/** What an answer asks the person. The last two sentences ask by their form alone. `cues`: see `cuesOf`. */
export function questionsIn(sentences: readonly string[], entry: number, cues: Uint8Array): readonly QuestionNote[] {
  const out: QuestionNote[] = [];
  for (const [index, sentence] of sentences.entries()) {
    if ((cues[index]! & cue.question) === 0 || sentence.length < 8 || sentence.length > 500 || polite.test(sentence)) continue;
    const isAsked = asks.test(sentence);
    const score = isAsked ? (waits.test(sentence) ? 2 : index >= sentences.length - 2 ? 1 : 0) : named.test(sentence) ? 2 : 0;
    if (score > 0) out.push({ text: clip(sentence, limits.note), entries: [entry], trust: 'model', score, by: 'agent', age: 0 });
  }
  return out.slice(-6);
}

/** A question that a harness put to the person and that got no answer. `text` is clean. */
export const questionNote = (text: string, entry: number): QuestionNote => ({
  text,
  entries: [entry],
  trust: 'model',
  score: 2,
  by: 'agent',
  age: 0,
});

/** The agent speaks: what the person asked of the same is answered, and what it asked itself by form alone it answers now. */
export function answeredBy(state: BatonState, said: string, asked: readonly QuestionNote[]): BatonState['questions'] {
  if (state.questions.length === 0 && asked.length === 0) return state.questions;
  const left = state.questions
    .filter((question) => (question.by === 'person' ? !sharesWords(question.text, said) : question.score > 1 || question.age > 0))
    // It spoke, of something else: the next prompt of the person's ends the question.
    .map((question) => (question.by === 'person' ? { ...question, score: 1 } : question));
  return withNotes(left, asked, limits.questions);
}

/** It goes on by itself: what only had the form of a question was none. */
export function withoutRhetorical(questions: BatonState['questions']): BatonState['questions'] {
  return questions.some((question) => question.score === 1 && question.by === 'agent' && question.age === 0)
    ? questions.filter((question) => question.score !== 1 || question.by !== 'agent' || question.age > 0)
    : questions;
}

const settles =
  /^(?:yes|yep|yeah|no|nope|sure|ok(?:ay)?|option|both|neither|either|the (?:first|second|third|former|latter|last)|[a-d1-9][).]?$|go (?:with|for|ahead)|do (?:it|that|both)|whatever|up to you|your call|you decide|ja|nein|doch|beide|egal|oui|non|sí|si|no|vale|da|нет|да|好|是|不|可以|はい|いいえ|네|아니)/iu;
const defers =
  /(?<![\p{L}\p{N}])(?:later|not (?:now|yet|sure)|don['’]t know(?: yet)?|let me (?:think|check|ask)|i['’]ll (?:ask|check|tell|think)|get back to you|leave (?:it|that) open|decide (?:later|tomorrow)|später|weiß (?:ich )?(?:noch )?nicht|plus tard|más tarde|todavía no)\b|以后再|稍后|还不(?:确定|知道)|後で|まだ(?:決め|わから)|나중에|позже/iu;

/** A prompt: it may answer what the agent asked, and asks by itself. */
export function promptedBy(
  state: BatonState,
  entry: number,
  text: string,
  sentences: readonly string[],
): BatonState['questions'] {
  const deferred = defers.test(text);
  // A mere "continue" settles nothing.
  const direct = !deferred && settles.test(text.trim()) && text.length <= 80;
  const left = state.questions
    .filter((question) =>
      question.by === 'person'
        ? question.score > 1 && question.age < 3
        : question.age < 3 && !direct && (deferred || !sharesWords(question.text, text)),
    )
    .map((question) => ({ ...question, age: question.age + 1 }));
  const fresh = sentences
    .filter((sentence) => sentence.length >= 8 && sentence.length <= 400 && asks.test(sentence) && !request.test(sentence))
    .slice(0, 3)
    .map((sentence): QuestionNote => ({ text: sentence, entries: [entry], trust: 'user', score: 2, by: 'person', age: 0 }));
  return withNotes(left, fresh, limits.questions);
}
