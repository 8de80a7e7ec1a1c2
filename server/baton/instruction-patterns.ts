/**
 * By what words a line is known that reads like an order to an agent. Each pattern is bounded, so that the cost stays linear; a line in which
 * nothing stands that some pattern needs is told in one walk: wider than the patterns, never narrower, as a test holds.
 */
import { literalScan } from './literal-scan.ts';

const gap = '[\\s\\p{P}]{1,4}';
const words = (source: string): RegExp => new RegExp(source.replaceAll('_', gap), 'iu');

export const orders: readonly RegExp[] = [
  words(
    '\\b(?:ignore|disregard|forget|override|bypass)_(?:all_|any_|everything_)?(?:of_)?(?:the_|your_|my_|these_|those_)?(?:previous|prior|above|earlier|preceding|existing|original|system|safety|developer)_(?:instruction|prompt|message|rule|context|direction|guideline|command|polic|constraint)',
  ),
  words('\\b(?:ignore|disregard|forget)_(?:everything|all|anything)_(?:above|before|prior|previous|you)'),
  words('\\b(?:ignoriere|vergiss)_(?:alle_|die_|deine_)?(?:vorherigen|bisherigen|obigen)'),
  words(
    '\\bignor(?:ez|a|e)_(?:toutes_|todas_|todos_|tutte_)?(?:les_|las_|os_|as_|le_)?(?:instruction|instruccion|instruco|istruzion)',
  ),
  /игнорируй(?:те)?[^\n]{0,24}(?:инструкци|указани)|이전 (?:지시|명령|지침)[^\n]{0,12}무시/iu,
  /忽略(?:所有|以上|之前|先前|前面)|無視して|以前の指示/u,
  words('\\byou_(?:are|will_be)_now_(?:a|an|in|the|acting|operating)\\b'),
  words(
    '\\b(?:new|updated|revised|real|actual|hidden|secret)_(?:system_)?(?:instructions?|prompt|directives?)\\b[^\\n]{0,20}[:：]',
  ),
  words('\\b(?:system|developer)_(?:prompt|message|override|instructions?)\\b[^\\n]{0,12}[:：]'),
  /^[^\p{L}\n]{0,8}(?:system|assistant|developer|human)[^\p{L}\n]{0,3}:/iu,
  /(?:^|[\s"'`])(?:Human|Assistant):\s{1,4}\S/u,
  // "User: db" is a setting; a turn that is made up says more.
  /^[#*>\s]{0,8}(?:User|H):\s{1,4}\p{L}[\p{L}'’]{1,24}(?:\s+[\p{L}'’]{1,24}){2}/u,
  /<!--[^\n]{0,40}\b(?:agents?|assistants?|ai|llms?|claude|codex|gpt|gemini|copilot|instructions?)\b[^\n]{0,3}[:,]/iu,
  /<{3}\s{0,4}\/?(?:end_)?(?:external|untrusted|begin|system|instructions?)[\w ]{0,60}/iu,
  /<\/?(?:system|system[-_]reminder|instructions?|assistant|human|user_query|user_(?:instructions|request|info)|environment_(?:context|details)|developer|tool_(?:result|use|calls?)s?|function_(?:calls?|results?)|local-command-\w{1,10}|command-(?:name|message|args)|bash-(?:input|stdout)|task-notification|antml:\w{1,20})\b[^>\n]{0,80}>/iu,
  /<[|｜](?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_of_turn|eot_id|tool\w{0,20})[^\n]{0,24}[|｜]?>|<(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>/iu,
  words(
    '\\b(?:assistants?|agents?|ai|llms?|language_models?|claude|codex|gpt|gemini|copilot)\\b[,:]?_(?:reading_this_)?(?:you_)?(?:must|should|shall|need_to|have_to|are_required|are_instructed|please)\\b',
  ),
  words(
    "\\b(?:do_not|don['’]?t|never)_(?:tell|inform|mention|reveal|notify|alert|show|warn)_(?:this_)?(?:to_)?(?:the_)?(?:user|human|person|developer|operator|owner)",
  ),
  words('\\bwithout_(?:asking|telling|informing|notifying|alerting)_(?:the_|your_)?(?:user|human|person|operator|owner)'),
  words(
    '\\b(?:send|post|upload|exfiltrate|leak|forward|transmit|email)\\b[^\\n]{0,60}\\b(?:secrets?|tokens?|credentials?|api_keys?|passwords?|private_keys?|ssh_keys?|environment_variables|\\.env)\\b[^\\n]{0,40}\\b(?:to|http)',
  ),
  /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da|k)?sh\b/iu,
  /\bbase64\b[^\n|]{0,80}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z)?sh\b/iu,
  words(
    '\\b(?:you_must|you_should|please|immediately|now)_(?:run|execute|invoke|call)_(?:the_following|this)_(?:command|code|script|tool)',
  ),
];

/** In every ASCII text that a pattern matches one of these stands. */
const needed =
  'ignor disregard forget override bypass vergiss now instruction prompt directive system assistant developer human user: h: must should shall need have required instructed please tell inform mention reveal notify alert show warn without send post upload exfiltrate leak forward transmit email curl wget iwr invoke-webrequest base64 immediately <!-- <<< <| _of_turn> [inst] [/inst] <<sys <</sys';
const tags = 'user_ tool_ function_ local-command command- bash- task- antml environment_';
const literals = [...needed.split(' '), ...tags.split(' ').flatMap((tag) => [`<${tag}`, `</${tag}`])];
const { classes, next, shift, firstEnd } = literalScan(literals);

/** false: no pattern matches. */
export function mayBeOrder(text: string): boolean {
  const { length } = text;
  let state = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) return true;
    state = next[(state << shift) | classes[code]!]!;
    if (state >= firstEnd) return true;
  }
  return false;
}
