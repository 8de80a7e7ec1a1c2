/** The commands of Loom, without their `loom.`: package.json has the same ones (command-names.test.ts compares them). */

export const commandNames = [
  'continueIn',
  'sendBaton',
  'discardBaton',
  'searchThreads',
  'openThread',
  'copyBaton',
  'copyThreadId',
  'openTerminal',
  'revealSessionFile',
  'restoreNative',
  'showNativeRecord',
  'refresh',
  'showLog',
  'showPlaces',
  'showThisWorkspace',
  'showAllFolders',
  'groupByTime',
  'groupByFolder',
  'groupByHarness',
  'showAutomation',
  'hideAutomation',
] as const;
export type CommandName = (typeof commandNames)[number];
