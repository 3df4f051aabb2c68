// What every scenario uses: the report of the steps, and a client to talk with.
//
// In: a card, a transport, whether to stream. Out: a `Session` that sends
// messages and folds what comes back into a `Turn`, and a `Report` that prints
// and counts.

import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

// A scenario takes well under a second; this ends one that hangs.
const SCENARIO_SECONDS = 30;

// A step failed and is reported; the rest of its scenario is left out.
class Abandon extends Error {}

// Counts and prints the steps.
export class Report {
  passed = 0;
  failed = 0;
  scenario = '';

  step = async (name, work) => {
    let found;
    try {
      found = await work();
    } catch (error) {
      this.fail(name, error);
      throw new Abandon(name, { cause: error });
    }
    this.passed += 1;
    console.log(`ok   ${this.scenario}: ${name}`);
    return found;
  };

  fail(name, error) {
    this.failed += 1;
    const reason = `${error?.message ?? error}`.split(/\s+/).join(' ');
    console.log(`FAIL ${this.scenario}: ${name}: ${error?.name}: ${reason}`);
  }
}

export function equal(what, got, want) {
  try {
    deepStrictEqual(got, want);
  } catch {
    throw new Error(`${what} is ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
  }
}

export function ensure(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}

// Checks that `wanted` occurs within `trail` in this order.
export function inOrder(trail, wanted) {
  let from = 0;
  for (const mark of wanted) {
    from = trail.indexOf(mark, from) + 1;
    ensure(from > 0, `${wanted} is not seen in this order within ${trail}`);
  }
}

// Checks that a call is refused with the client's own error type.
export async function refusedWith(name, call) {
  let error;
  try {
    await call();
  } catch (thrown) {
    error = thrown;
  }
  ensure(error, `expected ${name}, the call succeeded`);
  // What a stream meets, the client wraps.
  const names = [error.name, error.cause?.name];
  ensure(names.includes(name), `expected ${name}, the client threw ${error.name}: ${error.message}`);
}

// Runs one scenario; whatever happens in it stays in it.
export async function guarded(report, name, work) {
  report.scenario = name;
  const before = report.passed + report.failed;
  let timer;
  const late = new Promise((_, reject) => {
    const error = new Error(`not done after ${SCENARIO_SECONDS} s`);
    timer = setTimeout(() => reject(error), SCENARIO_SECONDS * 1000);
  });
  try {
    await Promise.race([work(), late]);
    ensure(report.passed + report.failed > before, 'the scenario took no step');
  } catch (error) {
    if (!(error instanceof Abandon)) report.fail('outside of a step', error);
  } finally {
    clearTimeout(timer);
  }
}

// What one message led to: the answer, or the events of a stream, folded.
export class Turn {
  trail = [];
  task = undefined;
  isFinal = false;

  // `known` is the task that the message goes on with.
  constructor(known) {
    this.task = known && structuredClone(known);
  }

  add(event) {
    switch (event.kind) {
      case 'task':
        this.task = structuredClone(event);
        this.trail.push(event.status.state);
        break;
      case 'status-update':
        this.#checkIds(event);
        this.task.status = event.status;
        this.trail.push(event.status.state);
        this.isFinal = event.final;
        break;
      case 'artifact-update':
        this.#checkIds(event);
        this.trail.push(`artifact ${event.artifact.name}`);
        this.#addArtifact(event);
        break;
      default:
        throw new Error(`an event of kind ${event.kind}: ${JSON.stringify(event)}`);
    }
  }

  // Agents of the Python SDK send the task for new tasks alone, so that a stream
  // about a known one may open with an update.
  #checkIds(event) {
    ensure(this.task, `the first event is ${event.kind}, not the task`);
    equal('task id of an update', event.taskId, this.task.id);
    equal('context id of an update', event.contextId, this.task.contextId);
  }

  #addArtifact({ artifact, append }) {
    this.task.artifacts ??= [];
    const known = this.task.artifacts.find((one) => one.artifactId === artifact.artifactId);
    if (!known) this.task.artifacts.push(structuredClone(artifact));
    else if (append) known.parts.push(...artifact.parts);
    else Object.assign(known, artifact);
  }

  get state() {
    return this.task.status.state;
  }
}

// A client that is bound to one transport, and how it sends messages.
export class Session {
  constructor(report, client, transport, streaming) {
    this.step = report.step;
    this.client = client;
    this.card = client.agentCard;
    this.streaming = streaming;
    // Over HTTP+JSON and gRPC this SDK drops the metadata of parts and the names of files.
    this.keepsPartDetails = transport === 'JSONRPC';
  }

  static async open(report, baseUrl, transport, streaming) {
    const factories = [
      new JsonRpcTransportFactory(),
      new RestTransportFactory(),
      new GrpcTransportFactory(),
    ];
    const transports = factories.filter((factory) => factory.protocolName === transport);
    const client = await new ClientFactory({ transports }).createFromUrl(baseUrl);
    return new Session(report, client, transport, streaming);
  }

  // Sends and takes all that comes back, until the agent is done.
  async send(message, known) {
    const turn = new Turn(known);
    const configuration = { acceptedOutputModes: ['text/plain'] };
    if (!this.streaming) {
      turn.add(await this.client.sendMessage({ message, configuration }));
      return turn;
    }
    for await (const event of this.client.sendMessageStream({ message, configuration })) {
      turn.add(event);
    }
    ensure(turn.trail.length > 0, 'the stream holds no event');
    ensure(turn.isFinal, 'the last event is not final');
    return turn;
  }

  // Starts a task that works until canceled, without waiting for it.
  async startSlow(pushNotificationConfig) {
    const configuration = { blocking: false, pushNotificationConfig };
    const task = await this.client.sendMessage({ message: userMessage('slow'), configuration });
    equal('kind', task.kind, 'task');
    const { state } = task.status;
    ensure(['submitted', 'working'].includes(state), `state is ${state}`);
    return task;
  }
}

export function userMessage(text, { parts = [], ...members } = {}) {
  const first = { kind: 'text', text };
  return {
    kind: 'message',
    role: 'user',
    messageId: randomUUID(),
    parts: [first, ...parts],
    ...members,
  };
}

// The texts among parts, one per line.
export function textOf(parts) {
  return parts
    .filter((part) => part.kind === 'text')
    .map((part) => part.text)
    .join('\n');
}
