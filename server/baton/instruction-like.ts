/**
 * Finds text in data that reads like an order to an agent: the marks of a prompt injection. Quoting already makes it data;
 * lines with such text are left out all the same, because a quotation is a poor defence against a reader that obeys. The
 * patterns are few and telling; each is bounded, so that the cost stays linear.
 */

import { plainLetters } from './plain-letters.ts';

const gap = '[\\s\\p{P}]{1,4}';
const words = (source: string): RegExp => new RegExp(source.replaceAll('_', gap), 'iu');

const patterns: readonly RegExp[] = [
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

/** Is there an order to an agent in this line? Also in letters that only look like Latin ones, and in spelt words. */
export function isInstructionLike(line: string): boolean {
  const text = line.length > 2000 ? line.slice(0, 2000) : line;
  const usual = text.normalize('NFKC').replace(/[\u200c\u200d]/g, '');
  if (patterns.some((pattern) => pattern.test(usual))) return true;
  const plain = plainLetters(usual);
  return plain !== usual && patterns.some((pattern) => pattern.test(plain));
}

/** What stands in place of lines that were left out. */
export const omission = (source: string, lines = 1): string =>
  `[instruction-like text from ${source} omitted${lines > 1 ? `: ${lines} lines` : ''}]`;

export interface Collapsed {
  readonly text: string;
  /** How many lines were left out. */
  readonly omitted: number;
}

/**
 * Lines with orders replaced by a note of Loom's that names their `source`; neighbours become one note. An order that is
 * spread over two lines takes both with it. A line of more than 2,000 characters is cut, so that nothing hides behind its beginning.
 */
export function collapseInstructions(text: string, source: string): Collapsed {
  const lines = text.split('\n').map((line) => (line.length > 2000 ? `${line.slice(0, 2000)}…` : line));
  const bad = lines.map((line) => isInstructionLike(line));
  for (let index = 0; index + 1 < lines.length; index++) {
    if (
      bad[index] !== true &&
      bad[index + 1] !== true &&
      isInstructionLike(`${lines[index]!.trim()} ${lines[index + 1]!.trim()}`)
    ) {
      bad[index] = true;
      bad[index + 1] = true;
    }
  }
  const omitted = bad.filter(Boolean).length;
  if (omitted === 0) return { text: lines.join('\n'), omitted };
  const out: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (bad[index] !== true) out.push(lines[index]!);
    else {
      let count = 1;
      while (bad[index + 1] === true) {
        count++;
        index++;
      }
      out.push(omission(source, count));
    }
  }
  return { text: out.join('\n'), omitted };
}
