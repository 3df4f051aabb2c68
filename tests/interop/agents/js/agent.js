// An agent that checks suppliers, built with the JavaScript A2A SDK.
//
// In: nothing; it takes free ports of the loopback. Out: one line with the
// address of its card, then it serves JSON-RPC, HTTP+JSON and gRPC until it is
// told to end (SIGTERM or SIGINT). It answers like `examples/due-diligence`,
// and offers push configs and an extended card besides.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import {
  AgentCard,
  Message,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
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

// What a turn says about one task. Everything goes through the SDK's
// `fromJSON`, which fills in the members that its encoders want to find.
class Turn {
  constructor({ taskId, contextId }, eventBus) {
    this.ids = { taskId, contextId };
    this.eventBus = eventBus;
  }

  task(history, state) {
    const { taskId: id, contextId } = this.ids;
    const task = Task.fromJSON({ id, contextId, status: this.status(state) });
    this.eventBus.publish(AgentEvent.task({ ...task, history }));
  }

  state(state, text) {
    const update = { ...this.ids, status: this.status(state, text) };
    this.eventBus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
  }

  artifact(name, text) {
    const artifact = { artifactId: randomUUID(), name, parts: [{ text }] };
    const update = { ...this.ids, artifact, lastChunk: true };
    this.eventBus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
  }

  status(state, text) {
    const message = text && {
      ...this.ids,
      messageId: randomUUID(),
      role: 'ROLE_AGENT',
      parts: [{ text }],
    };
    return { state: `TASK_STATE_${state}`, message, timestamp: new Date().toISOString() };
  }
}

// Keeps nothing between the turns: what was said is in the task's history.
class DueDiligence {
  // The latest turn of each task that can be canceled; `stop` ends its wait.
  #open = new Map();

  async execute(context, eventBus) {
    const turn = new Turn(context, eventBus);
    const message = context.userMessage;
    const earlier = (context.task?.history ?? []).filter((m) => m.messageId !== message.messageId);
    const history = [...earlier, message];
    turn.task(history, context.task ? 'WORKING' : 'SUBMITTED');

    const said = history.map((m) => Message.toJSON(m)).filter((m) => m.role === 'ROLE_USER');
    const step = nextStep(said.map(textOf));
    this.#open.set(context.taskId, turn);
    if (step.ask) {
      turn.state('INPUT_REQUIRED', step.ask);
      return;
    }
    if (step.report) {
      turn.state('WORKING', step.progress);
      turn.artifact('due-diligence-report', step.report);
      turn.state('COMPLETED', step.done);
    } else if (step.end === 'reject') {
      turn.state('REJECTED', 'This agent checks suppliers and nothing else');
    } else if (step.end === 'fail') {
      turn.state('WORKING');
      turn.state('FAILED', 'The register of suppliers cannot be reached');
    } else {
      const stopped = new Promise((stop) => (turn.stop = stop));
      turn.state('WORKING', 'This takes until you cancel it');
      await stopped;
      turn.state('CANCELED', 'Canceled while it worked');
    }
    this.#open.delete(context.taskId);
  }

  async cancelTask(taskId) {
    const turn = this.#open.get(taskId);
    if (!turn) return;
    if (turn.stop) {
      turn.stop();
      return;
    }
    // It waits for the user, so nothing runs that could say it.
    turn.state('CANCELED');
    this.#open.delete(taskId);
  }
}

function textOf(message) {
  return (message.parts ?? []).map((part) => part.text ?? '').join('\n');
}

function agentCard(httpPort, grpcPort) {
  const base = `http://${LOOPBACK}:${httpPort}`;
  const urls = {
    JSONRPC: `${base}/rpc`,
    'HTTP+JSON': `${base}/rest`,
    // The SDK's own client gives it to gRPC as it is, which wants no scheme.
    GRPC: `${LOOPBACK}:${grpcPort}`,
  };
  return AgentCard.fromJSON({
    name: '供应商尽调 Agent (JavaScript)',
    description: 'Checks suppliers, in Chinese and English. Its answers are made up.',
    version: '0.1.0',
    supportedInterfaces: Object.entries(urls).map(([protocolBinding, url]) => ({
      url,
      protocolBinding,
      protocolVersion: '1.0',
    })),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [SKILL],
  });
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
const extended = AgentCard.fromJSON(AgentCard.toJSON(card));
extended.skills.push(AgentCard.fromJSON({ skills: [EXTENDED_SKILL] }).skills[0]);

const requestHandler = new DefaultRequestHandler(
  card,
  new InMemoryTaskStore(),
  new DueDiligence(),
  undefined, // the SDK's own event bus
  undefined, // the SDK's own store of push configs
  undefined, // and sender
  async () => extended,
  undefined, // no signatures
  { validateInputModes: true },
);
const userBuilder = UserBuilder.noAuthentication;
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
grpcServer.addService(A2AService, grpcService({ requestHandler, userBuilder }));

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
console.log(`card  http://${LOOPBACK}:${httpServer.address().port}/.well-known/agent-card.json`);
