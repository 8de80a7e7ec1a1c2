export interface DemoSession {
  readonly file: string;
  at: number;
  user(text: string, seconds?: number): DemoSession;
  say(text: string, options?: unknown): DemoSession;
  save(): DemoSession;
}
export function makeDemoHome(
  home: string,
  now?: number,
): {
  readonly home: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sessions: { readonly claude: DemoSession; readonly codex: DemoSession };
};
