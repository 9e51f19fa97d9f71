export declare function writePackages(folder: string, files: Iterable<string>): void;
export declare function readPackages(folder: string): string[];
