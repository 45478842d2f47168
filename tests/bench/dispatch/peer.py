"""Runs one repetition of procrastinate: peer.py procrastinate idle COUNT | drain JOBS WORKERS

The last line it prints is the result as JSON.
"""

import asyncio
import json
import logging
import os
import random
import sys
import time

import procrastinate

WARM_UP = 10
what, count = sys.argv[2], int(sys.argv[3])
workers = int(sys.argv[4]) if len(sys.argv) > 4 else 1
logging.disable(logging.CRITICAL)

connector = procrastinate.PsycopgConnector(
    conninfo=os.environ["DATABASE_URL"], min_size=4, max_size=max(4, workers)
)
app = procrastinate.App(connector=connector)
in_hands: asyncio.Queue[float] = asyncio.Queue()


@app.task(name="signal")
async def signal() -> None:
    in_hands.put_nowait(time.perf_counter())


@app.task(name="noop")
async def noop() -> None:
    pass


async def idle() -> list[dict[str, float]]:
    working = asyncio.create_task(app.run_worker_async(concurrency=1, install_signal_handlers=False))
    await asyncio.sleep(1)
    found = []
    for number in range(WARM_UP + count):
        await asyncio.sleep(random.uniform(0.01, 0.03))
        called = time.perf_counter()
        await signal.defer_async()
        acked = time.perf_counter()
        at = await in_hands.get()
        if number >= WARM_UP:
            found.append({"since_call": (at - called) * 1e6, "since_ack": (at - acked) * 1e6})
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return found


async def drain() -> dict[str, float]:
    await noop.batch_defer_async(*[{} for _ in range(count)])
    began = time.perf_counter()
    await app.run_worker_async(concurrency=workers, wait=False, install_signal_handlers=False)
    return {"seconds": time.perf_counter() - began}


async def main() -> None:
    async with app.open_async():
        if not await app.check_connection_async():
            await app.schema_manager.apply_schema_async()
        result = await (idle() if what == "idle" else drain())
    print(json.dumps(result))


asyncio.run(main())
