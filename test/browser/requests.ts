import type { Page, Request } from 'playwright-core';

/** The requests of a page for data. */
export class Requests {
  /** Whether the page asked who is signed in. */
  askedForSession = false;

  private readonly pending = new Set<Request>();

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      // A stream of changes is never answered to its end.
      const isStream = request.headers()['accept']?.includes('event-stream') ?? false;
      if (['fetch', 'xhr'].includes(request.resourceType()) && !isStream) this.pending.add(request);
      if (request.url().endsWith('/auth/session')) this.askedForSession = true;
    });
    page.on('requestfinished', (request) => this.pending.delete(request));
    page.on('requestfailed', (request) => this.pending.delete(request));
  }

  /** Forgets those of the page before. */
  clear(): void {
    this.pending.clear();
    this.askedForSession = false;
  }

  /** Waits until all are answered, and the page shows what they returned. */
  async waitForAnswers(): Promise<void> {
    for (let count = 1; count > 0; ) {
      count = this.pending.size;
      await this.page.waitForFunction(isLoaded);
      await this.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
      count += this.pending.size;
    }
  }
}

/** Whether a page shows all that it loads. */
function isLoaded(): boolean {
  const isLoading =
    document.querySelector('[aria-label="Loading"], [aria-label="Wird geladen"]') ||
    /Loading…/.test(document.body.innerText);
  const isGraphiql = document.querySelector('.graphiql-container') && !document.querySelector('[role=tab]');
  return document.querySelector('h1') !== null && !isLoading && !isGraphiql;
}
