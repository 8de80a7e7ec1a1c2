/** The picker of Continue in… on the screen: groups, a button that lists what a target does not get, and a way back from that list. */
import * as vscode from 'vscode';
import type { HarnessStatus, ThreadView } from '../server/protocol/views.ts';
import { groupWords, harnessChoices, type HarnessChoice } from './harness-choice.ts';
import { label } from './plain-text.ts';
import { titleOf } from './thread-words.ts';

interface Item extends vscode.QuickPickItem {
  readonly choice?: HarnessChoice;
}

/** `last`: the harness that was chosen here before. `undefined`: none was chosen, or it cannot take over and the person was told so. */
export async function pickHarness(
  thread: ThreadView,
  harnesses: readonly HarnessStatus[],
  last: string | undefined,
): Promise<HarnessChoice | undefined> {
  const choices = harnessChoices(thread, harnesses, last);
  if (choices.length === 0) {
    void vscode.window.showWarningMessage('Loom does not know yet which agents are installed here. Try again in a moment.');
    return undefined;
  }
  let active: HarnessChoice | undefined;
  for (;;) {
    const answer = await ask(thread, choices, active);
    if (answer === undefined) return undefined;
    if (answer.kind === 'chosen') return answer.choice.refusal === null ? answer.choice : refuse(thread, answer.choice);
    active = answer.choice;
    if (!(await showLosses(answer.choice))) return undefined;
  }
}

type Answer = { readonly kind: 'chosen' | 'losses'; readonly choice: HarnessChoice };

async function ask(
  thread: ThreadView,
  choices: readonly HarnessChoice[],
  active: HarnessChoice | undefined,
): Promise<Answer | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = `Continue “${label(titleOf(thread), 60)}” in…`;
  picker.placeholder = 'Agent that goes on with this thread';
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.items = itemsOf(choices);
  // An empty list would leave no row active, and Enter without effect.
  if (active !== undefined) picker.activeItems = picker.items.filter((item) => item.choice === active);
  const answer = await new Promise<Answer | undefined>((resolve) => {
    picker.onDidAccept(() => {
      const choice = picker.activeItems[0]?.choice;
      if (choice !== undefined) resolve({ kind: 'chosen', choice });
    });
    picker.onDidTriggerItemButton(({ item }) => {
      if (item.choice !== undefined) resolve({ kind: 'losses', choice: item.choice });
    });
    picker.onDidHide(() => {
      resolve(undefined);
    });
    picker.show();
  });
  picker.dispose();
  return answer;
}

function itemsOf(choices: readonly HarnessChoice[]): readonly Item[] {
  return choices.flatMap((choice, index) => {
    const above = choices[index - 1]?.group !== choice.group;
    const tooltip = `What ${choice.label} does not get as it was`;
    const buttons = choice.losses.length === 0 ? [] : [{ iconPath: new vscode.ThemeIcon('info'), tooltip }];
    const { label: name, description, detail } = choice;
    const item: Item = { label: name, description, detail, choice, buttons };
    return above ? [{ label: groupWords[choice.group], kind: vscode.QuickPickItemKind.Separator }, item] : [item];
  });
}

/** False: the person wants to be gone altogether. */
async function showLosses(choice: HarnessChoice): Promise<boolean> {
  const back = { label: '$(arrow-left) Back to the agents' };
  const losses = choice.losses.map((loss) => ({ label: label(loss, 200) }));
  const picked = await vscode.window.showQuickPick([back, ...losses], {
    title: `What ${choice.label} does not get as it was`,
    placeHolder: 'All of it stays in the thread',
  });
  return picked !== undefined;
}

async function refuse(thread: ThreadView, choice: HarnessChoice): Promise<undefined> {
  const copy = 'Copy baton instead';
  const chosen = await vscode.window.showWarningMessage(
    `${choice.label} cannot take the thread over. ${label(choice.refusal ?? '', 300)}`,
    copy,
  );
  if (chosen === copy) await vscode.commands.executeCommand('loom.copyBaton', thread.id);
  return undefined;
}
