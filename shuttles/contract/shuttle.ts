/** The shuttle: one adapter a harness, cut by stage. A stage that a harness lacks is declared absent with its reason. */
import type { Container, Databases } from './container.ts';
import type { HarnessId } from './harness.ts';
import type { Message } from './message.ts';
import type { Reader, Sidecars } from './read.ts';

/** The person's machine as shuttles see it. Nothing else of the process reaches a shuttle. */
export interface Environment {
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** Absolute path of the person's home folder. */
  readonly home: string;
  /** Only the variables that a harness documents for its own folders. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** A folder that holds session files of one harness. All paths below it are found by listing, never from a file's content. */
export interface SessionRoot {
  readonly path: string;
  /** Levels of folders below `path` that may hold sessions. */
  readonly depth: number;
  /** Does this path, relative to `path` and with `/` between its parts, name a session file? */
  readonly matches: (relative: string) => boolean;
  /** Can this folder, named in the same way, hold sessions at any depth? Absent: every folder can. */
  readonly enters?: (relative: string) => boolean;
}

export type Absent = { readonly absent: string };

export interface Find {
  roots(environment: Environment): readonly SessionRoot[];
  /** Small files whose change may alter titles or archive marks without a change of any session file. */
  sidecarPaths(environment: Environment): readonly string[];
  /** Small files that tell of the session in this file alone; their change alters its facts. Absent: the harness has none. */
  besides?(path: string): readonly string[];
}

/** What a writer is given: the derived context, the baton, and facts for the header. Thinking has been removed. */
export interface WriteRequest {
  readonly messages: readonly Message[];
  /** Markdown; goes in as the first user message, marked as Loom's. */
  readonly baton: string;
  readonly title: string;
  readonly cwd: string;
  readonly branch?: string;
  readonly nativeId: string;
  /** Milliseconds since 1970: the time of writing. */
  readonly now: number;
  /** Version of the installed target program, when known. */
  readonly programVersion?: string;
}
/** A native session as bytes: the caller writes it to `path` (temp file, fsync, link) and reads it back through the reader. */
export interface WrittenSession {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Absent: lines. */
  readonly form?: 'database';
  readonly nativeId: string;
  readonly mode: number;
  /** Losses that the person should know of, as whole sentences. */
  readonly warnings: readonly string[];
  /** What the harness wants beside the file. Absent: nothing. */
  readonly beside?: NewBeside;
}
/** One row of a database of the harness's, by which it knows a session. */
export interface IndexKey {
  /** Absolute path of the database. */
  readonly database: string;
  readonly table: string;
  readonly column: string;
  /** The row's value in that column: the session's own. */
  readonly key: string;
}
/** What stands beside a session's file: made before it (the folder) and behind it (the row), taken back with it. */
export interface Beside {
  readonly folder: string;
  readonly row: IndexKey;
  /** Files that are there while a program has the session open, or once it has gone on with it. */
  readonly signs: readonly string[];
}
export interface NewBeside extends Beside {
  /** The root that everything is below. */
  readonly root: string;
  /** The row's other columns. */
  readonly values: Readonly<Record<string, string | number>>;
}
/** What is to be written, before it is. */
export interface WriteAim {
  readonly nativeId: string;
  readonly programVersion?: string;
}
export interface Write {
  /** A fresh id of the form that the harness takes. `random` gives 16 random bytes. */
  newNativeId(now: number, random: Uint8Array): string;
  /**
   * `beside` reads the small files that tell where the harness looks for sessions of a folder; absent: its rule for a new folder holds.
   * `databases` is always there for a harness whose sessions are databases.
   */
  write(request: WriteRequest, environment: Environment, beside?: Sidecars, databases?: Databases): WrittenSession;
  /** Only when a person asks for it by name. Absent: this is what a thread becomes. */
  readonly onlyAsked?: true;
  /** Why a session must not be written there now, in whole sentences; looks and changes nothing. Absent: it always may. */
  refusal?(aim: WriteAim, environment: Environment, beside: Sidecars, databases: Databases): string | undefined;
  /** Goes on with a session that the thread was in before. */
  readonly append: Append | Absent;
  /** Everything portable that does not arrive as it was; what is not named here arrives whole (test/conformance holds writers to it). */
  readonly losses: readonly Loss[];
}

/** What may be lost or changed on the way into a harness. */
export const lossKinds = [
  'images',
  'resultImages',
  'foreignCalls',
  'shellOptions',
  'callIds',
  'openCalls',
  'errorMark',
  'emptyTexts',
  'longTexts',
  'oldTurns',
  'unsendable',
  'ownTexts',
  'grouping',
] as const;
export type LossKind = (typeof lossKinds)[number];
export interface Loss {
  readonly kind: LossKind;
  /** One whole sentence for the person: what becomes of it. */
  readonly text: string;
}

/** A session's file as it lies there. Both parts end or begin at any byte; in a small file they overlap. */
export interface ExistingSession {
  readonly nativeId: string;
  readonly path: string;
  readonly size: number;
  /** Its first 256 KiB and its last 8 MiB. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}
/** `messages` and `baton` tell only what came since the session was left. */
export interface AppendRequest extends Omit<WriteRequest, 'nativeId'> {
  readonly existing: ExistingSession;
}
/** Bytes for the file's very end. Refused: it cannot be gone on with as it is (a torn end, another version); one sentence why. */
export type AppendedSession =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly refusal: string };
export interface Append {
  append(request: AppendRequest, environment: Environment): AppendedSession;
}

/** How to start a program: never a shell string. */
export interface Command {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}
export interface Launch {
  /** The program's name on PATH. */
  readonly program: string;
  readonly versionArgv: readonly string[];
  /**
   * Opens the harness's own terminal UI on that session. `prompt`, if given, is short and Loom's own words; `path` is the session's
   * file, found by listing, for harnesses that take one.
   */
  resume(nativeId: string, cwd: string, prompt?: string, path?: string): Command;
  /**
   * Opens the terminal UI on a new session that begins with a prompt, which is short and Loom's own words and names a file below the
   * folder `reads`: for harnesses whose sessions Loom does not write.
   */
  readonly begin: ((start: { readonly prompt: string; readonly cwd: string; readonly reads: string }) => Command) | Absent;
  /** A session that it begins works in a folder of the harness's own, and not in the one that it is started in. */
  readonly worksElsewhere?: true;
  /** What a person should know before a session is begun, as whole sentences. */
  readonly beginWarnings?: readonly string[];
  /** The oldest program that takes what Loom writes, as dotted numbers; absent: every one that was tried. */
  readonly oldest?: string;
  /** The program's own question whether somebody is logged in, answered by its exit code (0: yes), offline. Absent: it has none. */
  readonly loginArgv?: readonly string[];
  /** How a person gets the program. */
  readonly install: string;
}

export type Activity = 'working' | 'waiting' | 'idle' | 'unknown';
/** A process that holds a native session, confirmed by pid and start time. */
export interface Holder {
  readonly nativeId: string;
  readonly pid: number | null;
  readonly activity: Activity;
  readonly surface?: string;
  /** What it waits for, in the harness's own words: one line. */
  readonly waitingFor?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Why the holder is believed live, in words: "registry entry of a running process", "writer lock held". */
  readonly evidence: string;
}
/** The machine's facts that presence needs, behind one port so that each platform's rules can be tested. */
export interface Machine {
  readonly list: (folder: string) => readonly string[];
  readonly text: (path: string) => string | undefined;
  readonly isFile: (path: string) => boolean;
  /** Start time of a process in the unit that the platform gives (Linux: clock ticks, field 22 of /proc/PID/stat); undefined: no such process. */
  readonly processStart: (pid: number) => string | undefined;
  /** Is an exclusive advisory lock (flock or fcntl) held on this file by anyone? undefined: cannot be told on this platform. */
  readonly isLocked: (path: string) => { readonly held: boolean; readonly pid: number | null } | undefined;
  /** Running programs whose arguments fit; none where it cannot be told which folder a program is in (Windows). */
  readonly programs?: (fits: (argv: readonly string[]) => boolean) => readonly RunningProgram[];
  /** When the file was made and written to last, milliseconds since 1970, and its first 4 KB as text. */
  readonly glance?: (path: string) => { readonly madeAt: number; readonly modifiedAt: number; readonly head: string } | undefined;
}
/** A program that may have a session open without saying which. */
export interface RunningProgram {
  readonly pid: number;
  readonly parent: number;
  /** The program first; one that has a title of its own shows that alone. */
  readonly argv: readonly string[];
  /** Absolute path of its working folder. */
  readonly cwd: string;
  /** Milliseconds since 1970, to about a second. */
  readonly startedAt: number;
}
export interface Presence {
  /** Every native session that a live process holds now. */
  holders(environment: Environment, machine: Machine): readonly Holder[];
}

export interface Shuttle {
  readonly harness: HarnessId;
  readonly find: Find;
  readonly reader: Reader;
  /** How files that are no stream of lines are taken apart; absent: the harness has none. */
  readonly container?: Container;
  readonly write: Write | Absent;
  readonly launch: Launch | Absent;
  readonly presence: Presence | Absent;
}
