// An agent that checks suppliers, built with the JavaScript A2A SDK of protocol
// version 0.3.
//
// In: nothing; it takes free ports of the loopback. Out: one line with the
// address of its card, then it serves JSON-RPC, HTTP+JSON and gRPC until it is
// told to end (SIGTERM or SIGINT). It answers like `examples/due-diligence`,
// and offers push configs and an extended card besides. `check.js` is the one
// of the agent of version 1.0.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import {
  UserBuilder,
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
} from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import grpc from '@grpc/grpc-js';
import express from 'express';

import { nextStep } from './check.js';

const LOOPBACK = '127.0.0.1';
const SKILL = {
  id: 'supplier-due-diligence',
  name: 'Supplier check',
  description: 'Checks one supplier and writes a report of three lines.',
  tags: ['procurement', 'risk'],
  examples: ['请尽调星河科技', 'Check Star River Tech, region: China'],
};
// Only callers of the extended card learn of it.
const EXTENDED_SKILL = {
  id: 'supplier-history',
  name: 'Earlier checks',
  description: 'Tells what earlier checks of the supplier found.',
  tags: ['procurement'],
};

// What a turn says about one task.
class Turn {
  constructor({ taskId, contextId }, eventBus) {
    this.ids = { taskId, contextId };
    this.eventBus = eventBus;
  }

  task(history, state) {
    const { taskId: id, contextId } = this.ids;
    this.eventBus.publish({ kind: 'task', id, contextId, status: this.status(state), history });
  }

  // `final` ends the stream.
  state(state, text, final = false) {
    const status = this.status(state, text);
    this.eventBus.publish({ kind: 'status-update', ...this.ids, status, final });
  }

  // One artifact with a part for each line, one event for each part.
  artifact(name, text) {
    const lines = text.split('\n');
    const artifactId = randomUUID();
    for (const [index, line] of lines.entries()) {
      this.eventBus.publish({
        kind: 'artifact-update',
        ...this.ids,
        artifact: { artifactId, name, parts: [{ kind: 'text', text: line }] },
        append: index > 0,
        lastChunk: index === lines.length - 1,
      });
    }
  }

  status(state, text) {
    const message = text && {
      kind: 'message',
      ...this.ids,
      messageId: randomUUID(),
      role: 'agent',
      parts: [{ kind: 'text', text }],
    };
    return { state, message, timestamp: new Date().toISOString() };
  }
}

// Keeps nothing between the turns but what can be stopped: what was said is in
// the task's history.
class DueDiligence {
  #running = new Map();

  async execute(context, eventBus) {
    const turn = new Turn(context, eventBus);
    const message = context.userMessage;
    const earlier = (context.task?.history ?? []).filter((m) => m.messageId !== message.messageId);
    const history = [...earlier, message];
    turn.task(history, context.task ? 'working' : 'submitted');

    const step = nextStep(history.filter((m) => m.role === 'user').map(textOf));
    if (step.ask) {
      turn.state('input-required', step.ask, true);
    } else if (step.report) {
      turn.state('working', step.progress);
      turn.artifact('due-diligence-report', step.report);
      turn.state('completed', step.done, true);
    } else if (step.end === 'reject') {
      turn.state('rejected', 'This agent checks suppliers and nothing else', true);
    } else if (step.end === 'fail') {
      turn.state('working');
      turn.state('failed', 'The register of suppliers cannot be reached', true);
    } else {
      const stopped = new Promise((stop) => this.#running.set(context.taskId, stop));
      turn.state('working', 'This takes until you cancel it');
      await stopped;
      this.#running.delete(context.taskId);
      turn.state('canceled', 'Canceled while it worked', true);
    }
    eventBus.finished();
  }

  // The SDK itself cancels tasks that nothing works on.
  async cancelTask(taskId) {
    this.#running.get(taskId)?.();
  }
}

function textOf(message) {
  return message.parts.map((part) => part.text ?? '').join('\n');
}

function agentCard(httpPort, grpcPort) {
  const base = `http://${LOOPBACK}:${httpPort}`;
  return {
    name: '供应商尽调 Agent (JavaScript, 0.3)',
    description: 'Checks suppliers, in Chinese and English. Its answers are made up.',
    version: '0.1.0',
    protocolVersion: '0.3.0',
    url: `${base}/rpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { transport: 'JSONRPC', url: `${base}/rpc` },
      { transport: 'HTTP+JSON', url: `${base}/rest` },
      // The SDK's own client gives it to gRPC as it is, which wants no scheme.
      { transport: 'GRPC', url: `${LOOPBACK}:${grpcPort}` },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [SKILL],
  };
}

function bindGrpc(server) {
  const credentials = grpc.ServerCredentials.createInsecure();
  return new Promise((resolve, reject) => {
    server.bindAsync(`${LOOPBACK}:0`, credentials, (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

const app = express();
const httpServer = createServer(app).listen(0, LOOPBACK);
const grpcServer = new grpc.Server();
const [grpcPort] = await Promise.all([bindGrpc(grpcServer), once(httpServer, 'listening')]);

const card = agentCard(httpServer.address().port, grpcPort);
const requestHandler = new DefaultRequestHandler(
  card,
  new InMemoryTaskStore(),
  new DueDiligence(),
  undefined, // the SDK's own event bus
  undefined, // the SDK's own store of push configs
  undefined, // and sender
  async () => ({ ...card, skills: [SKILL, EXTENDED_SKILL] }),
);
const userBuilder = UserBuilder.noAuthentication;
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
grpcServer.addService(A2AService, grpcService({ requestHandler, userBuilder }));

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
console.log(`card  http://${LOOPBACK}:${httpServer.address().port}/.well-known/agent-card.json`);
