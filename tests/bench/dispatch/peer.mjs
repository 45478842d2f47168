// Runs one repetition of one queue: node peer.mjs graphile|pgboss|bullmq idle COUNT | drain JOBS WORKERS
// The last line it prints is the result as JSON.
import { setTimeout as pause } from "node:timers/promises";

const [name, what, count, workers] = process.argv.slice(2);
const { DATABASE_URL: database, REDIS_URL: redis } = process.env;
const WARM_UP = 10;

/** The time at which a worker received its next job. */
function hands() {
  let got;
  const next = () => new Promise((resolve) => (got = resolve));
  return { next, take: () => got(performance.now()) };
}

/** `enqueue` returns when the job is stored; `took` is called by the worker. */
async function samples(enqueue, took) {
  const found = [];
  for (let number = 0; number < WARM_UP + Number(count); number++) {
    await pause(10 + Math.random() * 20);
    const inHands = took.next();
    const called = performance.now();
    await enqueue();
    const acked = performance.now();
    const at = await inHands;
    if (number >= WARM_UP) found.push({ since_call: (at - called) * 1e3, since_ack: (at - acked) * 1e3 });
  }
  return found;
}

async function graphile() {
  const { run, makeWorkerUtils, runMigrations, Logger } = await import("graphile-worker");
  const options = { connectionString: database, noHandleSignals: true, logger: new Logger(() => () => {}) };
  await runMigrations(options);
  const utils = await makeWorkerUtils(options);
  const took = hands();
  if (what === "idle") {
    const runner = await run({ ...options, concurrency: 1, taskList: { noop: async () => took.take() } });
    const found = await samples(() => utils.addJob("noop", {}), took);
    await runner.stop();
    await utils.release();
    return found;
  }
  const jobs = Array.from({ length: Number(count) }, () => ({ identifier: "noop", payload: {} }));
  await utils.addJobs(jobs);
  let left = Number(count);
  const began = performance.now();
  const runner = await run({
    ...options,
    concurrency: Number(workers),
    maxPoolSize: Number(workers),
    taskList: { noop: async () => {} },
  });
  await new Promise((resolve) => runner.events.on("job:complete", () => --left === 0 && resolve()));
  const seconds = (performance.now() - began) / 1e3;
  await runner.stop();
  await utils.release();
  return { seconds };
}

async function pgboss() {
  const { default: PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: database, max: Math.max(10, Number(workers ?? 0)) });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("noop");
  let result;
  if (what === "idle") {
    const took = hands();
    // Half a second is the shortest poll interval that it allows.
    await boss.work("noop", { pollingIntervalSeconds: 0.5, batchSize: 1 }, async () => took.take());
    result = await samples(() => boss.send("noop", {}), took);
  } else {
    await boss.insert(Array.from({ length: Number(count) }, () => ({ name: "noop", data: {} })));
    // `work` waits between two jobs; its own calls in a loop do not.
    const began = performance.now();
    const drain = async () => {
      for (;;) {
        const [job] = await boss.fetch("noop", { batchSize: 1 });
        if (!job) return;
        await boss.complete("noop", job.id);
      }
    };
    await Promise.all(Array.from({ length: Number(workers) }, drain));
    result = { seconds: (performance.now() - began) / 1e3 };
  }
  await boss.stop({ graceful: false, wait: true });
  return result;
}

async function bullmq() {
  const { Queue, Worker } = await import("bullmq");
  const { hostname: host, port } = new URL(redis);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const queue = new Queue("noop", { connection });
  await queue.obliterate({ force: true });
  let result;
  if (what === "idle") {
    const took = hands();
    const worker = new Worker("noop", async () => took.take(), { connection, concurrency: 1 });
    await worker.waitUntilReady();
    result = await samples(() => queue.add("noop", {}), took);
    await worker.close();
  } else {
    await queue.addBulk(Array.from({ length: Number(count) }, () => ({ name: "noop", data: {} })));
    let left = Number(count);
    const worker = new Worker("noop", async () => {}, { connection, concurrency: Number(workers), autorun: false });
    const done = new Promise((resolve) => worker.on("completed", () => --left === 0 && resolve()));
    await worker.waitUntilReady();
    const began = performance.now();
    worker.run();
    await done;
    result = { seconds: (performance.now() - began) / 1e3 };
    await worker.close();
  }
  await queue.close();
  return result;
}

const result = await { graphile, pgboss, bullmq }[name]();
console.log(JSON.stringify(result));
process.exit(0);
