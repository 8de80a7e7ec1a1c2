/** Which clients get nothing: OpenClaw, under any of the names it has had, and what it starts. */

/**
 * `client`: what the client said of itself when it connected (`openclaw-bundle-mcp` in 2026.9.6); undefined: nothing yet. `variables`: of this
 * process; OpenClaw marks its own one and the commands that its agents run.
 */
export function isNeverServed(
  client: { readonly name: string; readonly title?: string | undefined } | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): boolean {
  if ((variables['OPENCLAW_CLI'] ?? '') !== '') return true;
  return client !== undefined && [client.name, client.title ?? ''].some((name) => names.test(name.normalize('NFKC')));
}
const names = /open[\s_-]?claw|clawd[\s_-]?bot|molt[\s_-]?bot/iu;

export const neverServed =
  'Loom gives OpenClaw no tools: its agents answer people of chats, who must not read the transcripts of this machine through them. Take Loom out of its MCP configuration.';
