export interface DoorRequest {
  readonly url: string;
  readonly host?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
}
export function judgeRequest(
  request: DoorRequest,
  door: { readonly token: string; readonly port: number; readonly cookieName: string },
): 'pass' | 'enter' | 'refuse';
export function openDoor(options: {
  readonly inside: string;
  readonly port: number;
  readonly token?: string;
}): Promise<{ readonly port: number; readonly token: string; address(query: string): string; close(): Promise<void> }>;
