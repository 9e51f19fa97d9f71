import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy to another server whose connections can be cut, to test how the service reacts. */
export class Wire {
  private readonly sockets = new Set<Socket>();
  /** What continues once it is thawed; undefined while it is not frozen. */
  private held: (() => void)[] | undefined;
  private server: Server | undefined;
  port = 0;

  constructor(
    private readonly host: string,
    private targetPort: number,
  ) {}

  /** Accepts connections, always on the same port. */
  async mend(): Promise<void> {
    this.server = createServer((near) => {
      const far = connect(this.targetPort, this.host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => {}).on('close', () => (this.sockets.delete(one), other.destroy()));
      }
      const forward = () => void near.pipe(far).pipe(near);
      if (this.held) this.held.push(forward);
      else forward();
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
  }

  /** Leads to another port from now on, as a host name that moves to another server. */
  async lead(targetPort: number): Promise<void> {
    await this.cut();
    this.targetPort = targetPort;
    await this.mend();
  }

  /** Keeps every connection open, and takes new ones, but forwards nothing: the server looks frozen. */
  freeze(): void {
    this.held = [...this.sockets].map((socket) => {
      socket.pause();
      return () => void socket.resume();
    });
  }

  /** Forwards what was sent while it was frozen, and all that follows. */
  thaw(): void {
    for (const forward of this.held?.splice(0) ?? []) forward();
    this.held = undefined;
  }

  /** Closes every connection, and rejects new ones. */
  async cut(): Promise<void> {
    const closed = this.server && once(this.server, 'close');
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
