/**
 * Why Loom writes no conversation of Antigravity. Its databases are private to it, no program of it can be had to try a made one with, and
 * every conversation of a root stands in an index beside them that its programs write as they run.
 */
import type { Absent } from '../contract/shuttle.ts';

export const antigravityWrite: Absent = {
  absent:
    'Antigravity keeps its conversations in private databases that Loom only reads. It gets a summary and a plan in a new conversation, not the native history.',
};
