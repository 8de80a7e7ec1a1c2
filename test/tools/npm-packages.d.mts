export function fetchPackages(
  folder: string,
  packages: readonly string[],
  options?: { readonly minutes?: number; readonly node?: string },
): string | undefined;
