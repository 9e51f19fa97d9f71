export declare function writePackages(folder: string, files: Iterable<string>): void;
export declare function readPackages(folder: string): string[];

/** The packages with machine code, which are not bundled: the service loads them from `node_modules`. */
export const nativePackages: readonly 'sharp'[];
