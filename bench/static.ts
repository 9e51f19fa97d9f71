/** Serves the files of a folder by @fastify/static, beside which `files.ts` measures ranges. */
import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

const app = Fastify();
await app.register(fastifyStatic, { root: process.env.BENCH_STATIC_FOLDER ?? '' });
// By which the benchmark knows that it serves.
app.get('/api/v1/service-requests', () => ({}));
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
