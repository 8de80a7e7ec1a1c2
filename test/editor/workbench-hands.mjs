/** What a person's hands do in the workbench, by the names and roles that it shows. Selectors as seen in VS Code 1.139. */
export class Hands {
  constructor(page) {
    this.page = page;
  }

  /** The row of the list whose name has these words. */
  row(name) {
    return this.page.getByRole('treeitem', { name });
  }

  /** The timeline in front: a webview is a frame within a frame. */
  get timeline() {
    return this.page.frameLocator('iframe.webview.ready:visible').frameLocator('iframe#active-frame');
  }

  async openLoom() {
    await this.page.getByRole('tab', { name: /^Loom/ }).click({ timeout: 60_000 });
    await this.page.locator('.sidebar .title-label', { hasText: /loom/i }).waitFor();
  }

  /** Drags the edge between side bar and editors. */
  async widenSideBar(pixels) {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    const [x, y] = [box.x + box.width + 1, box.y + box.height / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + pixels, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Types into the command palette and takes the entry that is just that; Enter would take whatever is first at that moment. */
  async command(title) {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget:visible input[type="text"]');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.pick(title);
  }

  async pick(words) {
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first().click();
  }

  /**
   * The entry of the row's context menu. The workbench takes no click in a menu that has just opened (100 ms in 1.139, longer
   * where the machine is busy), so it is clicked until the menu has gone.
   */
  async takeFromMenu(name, words) {
    await this.row(name).click({ button: 'right' });
    const entry = this.page.locator('.context-view .action-label', { hasText: words });
    await entry.waitFor();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await this.page.waitForTimeout(150);
      if ((await entry.count()) === 0) return;
      await entry.click({ timeout: 1000 }).catch(() => undefined);
    }
    throw new Error(`the menu stays open at ${words}`);
  }

  /** A row of the picker that is open. */
  choice(words) {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first();
  }

  /** A line above the text of an editor. */
  lens(words) {
    return this.page.locator('.codelens-decoration a', { hasText: words }).first();
  }

  toast(words) {
    return this.page.locator('.notification-toast', { hasText: words }).first();
  }

  async clearToasts() {
    await this.command('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'detached' });
  }

  /** Goes to a row of the list by keys, as a person who has no mouse: that moves the focus and selects nothing. */
  async focusRow(name) {
    await this.command('Loom: Focus on Threads View');
    await this.row(name).waitFor();
    await this.page.keyboard.press('Home');
    for (let step = 0; step < 60; step += 1) {
      if ((await this.row(name).getAttribute('class'))?.split(' ').includes('focused')) return;
      await this.page.keyboard.press('ArrowDown');
    }
    throw new Error(`no key leads to the row ${name}`);
  }

  async typeIntoPicker(words) {
    await this.page.locator('.quick-input-widget:visible input[type="text"]').fill(words);
  }

  async closeEditors() {
    await this.command('View: Close All Editors');
    await this.page.locator('.tabs-container .tab').first().waitFor({ state: 'detached' });
  }

  /** `name` as the picker of colour themes shows it; `kind` is the class that the workbench then has. */
  async theme(name, kind) {
    await this.command('Preferences: Color Theme');
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Dark Modern' }).first().waitFor();
    await this.typeIntoPicker(name);
    await this.pick(name);
    await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
  }
}
