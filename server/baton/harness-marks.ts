/**
 * Marks by which harnesses and models' templates set their own words off from data: tags, markers of outside content, turn tokens.
 * Text of others must not speak with them, wherever it stands: their opening sign becomes one that only looks like it, and every word
 * stays. Tags of ordinary markup and code are no marks.
 */

const tags = [
  // Harnesses, as their session files have them.
  'system[-_]reminder|environment_(?:context|details)|user_(?:instructions|info|query|request|shell_command)|USER_REQUEST|ADDITIONAL_METADATA',
  'session_context|hook_context|turn_aborted|subagent_notification|task-notification|persisted-output|available_skills|collaboration_mode',
  'local-command-(?:stdout|stderr|caveat)|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)|user-prompt-submit-hook',
  '(?:permissions|skills|apps|plugins)[-_ ]instructions|INSTRUCTIONS|important_instructions|untrusted[-_]content',
  // Models' templates.
  'function_(?:calls|results)|tool_(?:result|results|use|call|calls|response)|antml:\\w{1,24}|system_prompt|system_message|developer_message',
].join('|');
const tag = new RegExp(`<(?=\\s{0,4}/?\\s{0,4}(?:${tags})(?![\\w-]))`, 'gi');
/** `<<<EXTERNAL_UNTRUSTED_CONTENT …>>>`, `<<<END_…>>>` and the like. */
const marker = /<{3}(?=\s{0,4}\/?[A-Z][A-Z_]{5,64})/g;
/** `<|im_start|>`, `<｜User｜>`, `<<SYS>>`, `[INST]`. */
const turn = /<(?=[|｜][\w▁]{2,32}[|｜]>)|<{1,2}(?=\/?SYS>>)|\[(?=\/?INST\])/g;

/** The same text, word for word, with no mark of a harness in it. */
export function withoutMarks(text: string): string {
  if (!text.includes('<') && !text.includes('INST]')) return text;
  return text
    .replace(marker, '‹‹‹')
    .replace(tag, '‹')
    .replace(turn, (sign) => (sign === '[' ? '［' : '‹'.repeat(sign.length)));
}
