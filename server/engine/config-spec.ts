/** The values that a task kind reads, declared on the kind and nowhere else (engine specification 5.2). */
import type { ConversationValue } from './address.ts';

export type ConfigSpec = Readonly<Record<string, ConversationValue<unknown>>>;
export type ConfigValues<Config extends ConfigSpec> = {
  readonly [Name in keyof Config]?: Config[Name] extends ConversationValue<infer T> ? T : never;
};
