// A scanner for malware that does as it is told.
import { createServer, type Server, type Socket } from 'node:net';

/** What the scanner answers to content that begins with these words; it ends the connection for undefined. */
const answers: Record<string, string | undefined> = {
  poison: 'stream: Cannot open temporary file ERROR',
  crash: undefined,
  limits: 'stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND',
  bad: 'stream: Eicar-Test FOUND',
};

/** Speaks as ClamAV's daemon does. It counts the scans of each word. */
export class Scanner {
  readonly scans: string[] = [];
  private server: Server | undefined;
  private readonly open = new Set<Socket>();

  constructor(readonly port: number) {}

  async start(): Promise<void> {
    this.server = createServer((socket) => {
      this.open.add(socket);
      let received = Buffer.alloc(0);
      socket
        .on('error', () => {})
        .on('data', (data) => {
          received = Buffer.concat([received, data]);
          if (!received.subarray(-4).equals(Buffer.alloc(4))) return;
          // After the command and the length.
          const word = String(received.subarray(10 + 4, -4)).split(' ')[0] ?? '';
          this.scans.push(word);
          const answer = word in answers ? answers[word] : 'stream: OK';
          if (answer === undefined) socket.destroy();
          else socket.end(`${answer}\0`);
        });
    });
    await new Promise<void>((resolve) => this.server?.listen(this.port, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}
