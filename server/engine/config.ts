/**
 * Configuration on kinds (engine specification 5.2): a kind declares the values it reads; here they are read, set and listed for one
 * conversation. Nothing is stored but the values: rewindable ones come with a fork as they were there, sticky ones do not.
 */
import { bound } from './address.ts';
import type { ConversationValue } from './address.ts';
import type { ConfigSpec, ConfigValues } from './config-spec.ts';
import { Rejected } from './errors.ts';
import type { Id, Value } from './records.ts';
import type { StateSource } from './state-access.ts';
import type { Storage } from './storage.ts';
import type { Tx } from './tx.ts';

/** A kind as far as its configuration goes. */
export interface Configured<Config extends ConfigSpec> {
  readonly kind: string;
  readonly config?: Config;
}
/** Some of the declared values; `undefined` deletes one, what is not named stays. */
export type ConfigChanges<Config extends ConfigSpec> = {
  readonly [Name in keyof Config]?: Config[Name] extends ConversationValue<infer T> ? T | undefined : never;
};
export interface ConfigHandle<Config extends ConfigSpec> {
  /** As committed; a value that is not set has no property. */
  get(): ConfigValues<Config>;
  /** One commit. Rejects with `unknownConfig` for a name that the kind does not declare, and writes nothing then. */
  set(changes: ConfigChanges<Config>): Promise<void>;
}
/** One declared value of one kind, in one conversation. */
export interface ConfigItem {
  readonly kind: string;
  readonly name: string;
  readonly address: Value<unknown>;
  /** undefined: not set. */
  readonly value: unknown;
}

/** All declared values in one pass. Reads are synchronous, so they are of one committed state. */
export function readConfig<Config extends ConfigSpec>(
  storage: Storage,
  kind: Configured<Config>,
  conversation: Id,
): ConfigValues<Config> {
  const set = configItems(storage, [kind], conversation).filter(({ value }) => value !== undefined);
  return Object.fromEntries(set.map(({ name, value }) => [name, value])) as ConfigValues<Config>;
}

/** Writes on a commit; rewindable values come before its entries. Throws Rejected `unknownConfig`. */
export function setConfig<Config extends ConfigSpec>(
  tx: Pick<Tx, 'value'>,
  kind: Configured<Config>,
  conversation: Id,
  changes: ConfigChanges<Config>,
): void {
  for (const [name, value] of Object.entries(changes)) {
    const declared = kind.config !== undefined && Object.hasOwn(kind.config, name) ? kind.config[name] : undefined;
    if (declared === undefined)
      throw new Rejected('unknownConfig', `task kind ${kind.kind} declares no value ${JSON.stringify(name)}`);
    const access = tx.value(bound(declared, conversation));
    if (value === undefined) access.delete();
    else access.set(value);
  }
}

export function configHandle<Config extends ConfigSpec>(
  { storage, commit }: StateSource,
  kind: Configured<Config>,
  conversation: Id,
): ConfigHandle<Config> {
  return {
    get: () => readConfig(storage, kind, conversation),
    set: async (changes) => commit((tx) => setConfig(tx, kind, conversation, changes)),
  };
}

/** What a conversation is configured with: the declared values of these kinds, in the order of their declaration. */
export function configItems(storage: Storage, kinds: readonly Configured<ConfigSpec>[], conversation: Id): readonly ConfigItem[] {
  return kinds.flatMap(({ kind, config = {} }) =>
    Object.entries(config).map(([name, declared]) => {
      const address = bound(declared, conversation);
      return { kind, name, address, value: storage.getValue(address)?.value };
    }),
  );
}
