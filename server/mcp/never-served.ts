/** Which clients get nothing: OpenClaw, under any of the names it has had. */

/** What the client said of itself when it connected; undefined: nothing yet. */
export function isNeverServed(client: { readonly name: string; readonly title?: string | undefined } | undefined): boolean {
  return client !== undefined && [client.name, client.title ?? ''].some((name) => names.test(name.normalize('NFKC')));
}
const names = /open[\s_-]?claw|clawd[\s_-]?bot|molt[\s_-]?bot/iu;

export const neverServed =
  'Loom gives OpenClaw no tools: its agents answer people of chats, who must not read the transcripts of this machine through them. Take Loom out of its MCP configuration.';
