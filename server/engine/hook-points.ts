/**
 * What a task kind says of its hook points (engine specification 8.7): their inputs and outputs, how outputs of several handlers
 * merge, and what a throw means. Hooks belong to kinds; the engine only routes.
 */
export interface HookPoint {
  readonly input: unknown;
  readonly output: unknown;
}
/** Declared as an interface that extends this one, a property a point. */
export type HookPoints = Readonly<Record<string, HookPoint>>;

export interface HookSpec<Output> {
  /** A handler's throw makes the run reject; otherwise it is reported and the handler is passed over. */
  readonly failClosed?: true;
  /** Absent: property by property, the later handler's win. */
  merge?(before: Output, next: Output): Output;
}
export type HookSpecs<Hooks extends HookPoints> = { readonly [Point in keyof Hooks]: HookSpec<Hooks[Point]['output']> };

/** Sees the input and what the handlers before it made; undefined changes nothing. May wait as long as it likes. */
export type HookHandler<Point extends HookPoint> = (
  input: Point['input'],
  before: Point['output'] | undefined,
  signal: AbortSignal,
) => Point['output'] | undefined | void | Promise<Point['output'] | undefined | void>;

/** Runs one kind's points for one conversation. */
export interface HookRunner<Hooks extends HookPoints> {
  /** The merged output; undefined when no handler gave one. Rejects with an AbortError when the execution is cancelled. */
  run<Point extends keyof Hooks & string>(
    point: Point,
    input: Hooks[Point]['input'],
  ): Promise<Hooks[Point]['output'] | undefined>;
}
