// The JavaScript A2A client of protocol version 0.3 holds the due-diligence
// conversation.
//
// In: the base URL of a running agent. Out: a line per step, at the end a line
// `N passed, M failed`; the exit status is 1 when anything failed.
//
// Every scenario runs on each transport of the card. Scenarios share nothing, so
// a failure ends only its own.

import {
  Report,
  Session,
  Turn,
  ensure,
  equal,
  guarded,
  inOrder,
  refusedWith,
  textOf,
  userMessage,
} from './harness.js';

const TRANSPORTS = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
const ARTIFACT = 'due-diligence-report';
const SKILL = 'supplier-due-diligence';
const EXTENDED_SKILL = 'supplier-history';
// The media type of data parts, which in version 0.3 have no other.
const DATA = 'application/json';
const UNKNOWN_TASK = 'no-such-task';
const HOOK = 'http://127.0.0.1:9/hook?for=星河';

// One language's way through the conversation.
const CHINESE = {
  request: '请尽调星河科技',
  answer: '地区：中国',
  questionNames: '地区',
  lineEnds: ['星河科技', '中国', '未发现高风险项'],
};
const ENGLISH = {
  request: 'Check Star River Tech',
  answer: 'region: China',
  questionNames: 'region',
  lineEnds: ['Star River Tech', 'China', ''],
};
const AWKWARD_TEXT = 'é 😀 a\u2028b\u2029c\u0085d \\ " / \t';

function checkReport(task, script) {
  equal(
    'names of the artifacts',
    task.artifacts.map((artifact) => artifact.name),
    [ARTIFACT],
  );
  const [artifact] = task.artifacts;
  ensure(artifact.artifactId, 'the artifact has no id');
  const lines = textOf(artifact.parts).split('\n');
  equal('number of lines in the report', lines.length, 3);
  script.lineEnds.forEach((end, index) => {
    ensure(lines[index].endsWith(end), `${lines[index]} does not end in ${end}`);
  });
}

const said = (task) =>
  task.history.filter(({ role }) => role === 'user').map(({ parts }) => textOf(parts));

// Plays both rounds and hands out the task as tasks/get sees it after them.
async function converse(session, script, { withContext = true } = {}) {
  const { client, step } = session;
  const { task } = await step(`${script.request} asks for the region`, async () => {
    const turn = await session.send(userMessage(script.request));
    ensure(turn.task.id && turn.task.contextId, 'the task lacks an id');
    equal('state', turn.state, 'input-required');
    equal('role of the question', turn.task.status.message.role, 'agent');
    const question = textOf(turn.task.status.message.parts).toLowerCase();
    ensure(question.includes(script.questionNames), `the question is ${question}`);
    equal('artifacts before the report', turn.task.artifacts ?? [], []);
    return turn;
  });
  await step(`${script.answer} leads to the report`, async () => {
    const ids = { taskId: task.id, ...(withContext && { contextId: task.contextId }) };
    const turn = await session.send(userMessage(script.answer, ids), task);
    equal('task id', turn.task.id, task.id);
    equal('context id', turn.task.contextId, task.contextId);
    equal('state', turn.state, 'completed');
    if (session.streaming) {
      inOrder(turn.trail, ['working', `artifact ${ARTIFACT}`, 'completed']);
      equal("the stream's last word", turn.trail.at(-1), 'completed');
    }
    checkReport(turn.task, script);
  });
  return step('tasks/get shows the same', async () => {
    const stored = await client.getTask({ id: task.id, historyLength: 100 });
    equal('task id', stored.id, task.id);
    equal('context id', stored.contextId, task.contextId);
    equal('state', stored.status.state, 'completed');
    ensure(!Number.isNaN(Date.parse(stored.status.timestamp)), 'the status has no timestamp');
    checkReport(stored, script);
    equal('what the user said', said(stored), [script.request, script.answer]);
    return stored;
  });
}

async function chinese(session) {
  const task = await converse(session, CHINESE);
  await session.step('tasks/get obeys historyLength', async () => {
    const one = await session.client.getTask({ id: task.id, historyLength: 1 });
    equal('messages with historyLength 1', one.history, task.history.slice(-1));
  });
}

async function english(session) {
  // The answer names the task alone: its context is for the agent to know.
  await converse(session, ENGLISH, { withContext: false });
}

async function awkwardText(session) {
  await session.step('awkward characters come back as they were sent', async () => {
    const metadata = { note: AWKWARD_TEXT, list: [1, { k: 1.5 }] };
    const message = userMessage(CHINESE.request, { metadata });
    const turn = await session.send(message);
    const stored = await session.client.getTask({ id: turn.task.id, historyLength: 100 });
    for (const [place, task] of Object.entries({ answer: turn.task, 'tasks/get': stored })) {
      const back = task.history.find(({ messageId }) => messageId === message.messageId);
      ensure(back, `${place}: the message is not in the history`);
      equal(`${place}: metadata`, back.metadata, metadata);
    }
  });
}

async function content(session) {
  await session.step('content of every kind comes back as it was sent', async () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 10, 0x80]).toString('base64');
    const parts = [
      { kind: 'file', file: { bytes, mimeType: 'text/plain' } },
      { kind: 'file', file: { uri: 'https://client.example/星河?a=b&c', mimeType: 'text/plain' } },
    ];
    if (session.card.defaultInputModes.includes(DATA)) {
      parts.push({ kind: 'data', data: { score: 0.25, tags: ['a', { b: false }], 名: '' } });
    }
    if (session.keepsPartDetails) {
      parts[0].metadata = { pages: 2.5 };
      parts[0].file.name = '营业执照.txt';
    }
    const message = userMessage(CHINESE.request, { parts });
    const turn = await session.send(message);
    const stored = await session.client.getTask({ id: turn.task.id, historyLength: 100 });
    for (const [place, task] of Object.entries({ answer: turn.task, 'tasks/get': stored })) {
      const back = task.history.find(({ messageId }) => messageId === message.messageId);
      equal(`${place}: parts`, back?.parts, message.parts);
    }
  });
}

async function otherEnds(session) {
  const ends = { reject: 'rejected', fail: 'failed' };
  for (const [text, state] of Object.entries(ends)) {
    await session.step(`${text} ends in ${state}`, async () => {
      const turn = await session.send(userMessage(text));
      equal('state', turn.state, state);
      const stored = await session.client.getTask({ id: turn.task.id });
      equal('state by tasks/get', stored.status.state, state);
    });
  }
}

async function cancel(session) {
  const { client, step } = session;
  const task = await step('slow returns immediately', () => session.startSlow());
  await step('tasks/cancel ends it', async () => {
    const canceled = await client.cancelTask({ id: task.id });
    equal('task id', canceled.id, task.id);
    equal('state', canceled.status.state, 'canceled');
    const stored = await client.getTask({ id: task.id });
    equal('state by tasks/get', stored.status.state, 'canceled');
  });
  await step('a task that waits for the user can be canceled', async () => {
    const asked = await session.send(userMessage(CHINESE.request));
    const canceled = await client.cancelTask({ id: asked.task.id });
    equal('state', canceled.status.state, 'canceled');
    equal('context id', canceled.contextId, asked.task.contextId);
  });
}

async function leaveStream(session) {
  const { client, step } = session;
  const turn = new Turn();
  await step('the stream of slow reaches working, then the client leaves', async () => {
    const left = new AbortController();
    const params = { message: userMessage('slow') };
    for await (const event of client.sendMessageStream(params, { signal: left.signal })) {
      turn.add(event);
      if (turn.state === 'working') break;
    }
    left.abort();
    equal('state', turn.state, 'working');
  });
  await step('the task works on', async () => {
    equal('state', (await client.getTask({ id: turn.task.id })).status.state, 'working');
  });
  await step('tasks/cancel ends it', async () => {
    equal('state', (await client.cancelTask({ id: turn.task.id })).status.state, 'canceled');
  });
}

async function resubscribe(session) {
  const { client, step } = session;
  const task = await step('slow returns immediately', () => session.startSlow());
  await step('tasks/resubscribe opens with the task and ends with its cancel', async () => {
    const turn = new Turn();
    for await (const event of client.resubscribeTask({ id: task.id })) {
      turn.add(event);
      if (turn.trail.length === 1) {
        equal('task id', turn.task.id, task.id);
        await client.cancelTask({ id: task.id });
      }
    }
    ensure(turn.trail.length > 1, 'no event after the first');
    equal("the stream's last word", turn.trail.at(-1), 'canceled');
    ensure(turn.isFinal, 'the last event is not final');
  });
  await step('tasks/resubscribe of a task that is done hands it out and ends', async () => {
    const events = [];
    for await (const event of client.resubscribeTask({ id: task.id })) events.push(event);
    equal('number of events', events.length, 1);
    equal('kind', events[0].kind, 'task');
    equal('state', events[0].status.state, 'canceled');
  });
}

async function unknownTask(session) {
  const { client, step } = session;
  const id = UNKNOWN_TASK;
  const calls = {
    'tasks/get': () => client.getTask({ id }),
    'tasks/cancel': () => client.cancelTask({ id }),
    'a message': () => session.send(userMessage(CHINESE.answer, { taskId: id })),
  };
  if (session.streaming) calls['tasks/resubscribe'] = () => client.resubscribeTask({ id }).next();
  for (const [operation, call] of Object.entries(calls)) {
    await step(`${operation} is refused with TaskNotFoundError`, () =>
      refusedWith('TaskNotFoundError', call),
    );
  }
}

async function closedTask(session) {
  const { client, step } = session;
  const task = await step('a rejected task is there', async () => {
    const turn = await session.send(userMessage('reject'));
    equal('state', turn.state, 'rejected');
    return turn.task;
  });
  await step('another message to it is refused', async () => {
    // As what, version 0.3 does not say.
    const call = session.send(userMessage('hello?', { taskId: task.id }), task);
    const refused = await call.then(
      () => false,
      () => true,
    );
    ensure(refused, 'the call succeeded');
  });
  await step('cancel of it is refused', () =>
    refusedWith('TaskNotCancelableError', () => client.cancelTask({ id: task.id })),
  );
}

async function pushConfigs(session) {
  const { card, client, step } = session;
  const task = await step('slow returns immediately', () => session.startSlow());
  const config = (id) => ({
    id,
    url: HOOK,
    token: 'interop',
    authentication: { schemes: ['Bearer'], credentials: 'secret' },
  });
  const wanted = (id, taskId = task.id) => ({ taskId, pushNotificationConfig: config(id) });
  const query = (id, taskId = task.id) => ({ id: taskId, pushNotificationConfigId: id });
  if (card.capabilities.pushNotifications) {
    await step('push configs are made and found', async () => {
      for (const id of ['hook-1', 'hook-2']) {
        const made = await client.setTaskPushNotificationConfig(wanted(id));
        equal('what is made', made, wanted(id));
      }
      const found = await client.getTaskPushNotificationConfig(query('hook-1'));
      equal('what is found', found, wanted('hook-1'));
    });
    await step('push configs are listed and deleted', async () => {
      const listed = async () => {
        const all = await client.listTaskPushNotificationConfig({ id: task.id });
        return all.sort((one, other) =>
          one.pushNotificationConfig.id.localeCompare(other.pushNotificationConfig.id),
        );
      };
      equal('what is listed', await listed(), [wanted('hook-1'), wanted('hook-2')]);
      await client.deleteTaskPushNotificationConfig(query('hook-1'));
      equal('what is listed in the end', await listed(), [wanted('hook-2')]);
    });
    await step('a push config within a message', async () => {
      const other = await session.startSlow(config('hook-1'));
      const found = await client.getTaskPushNotificationConfig(query('hook-1', other.id));
      equal('what is found', found, wanted('hook-1', other.id));
      await client.cancelTask({ id: other.id });
    });
  } else {
    await step('push configs are refused', () =>
      // The other calls the client refuses by itself.
      refusedWith('PushNotificationNotSupportedError', () =>
        client.deleteTaskPushNotificationConfig(query('hook-1')),
      ),
    );
  }
  await step('tasks/cancel ends it', () => client.cancelTask({ id: task.id }));
}

async function extendedCard(session) {
  const { card, client } = session;
  const declared = card.supportsAuthenticatedExtendedCard;
  const name = declared ? 'the extended card has one skill more' : 'the card is all that there is';
  await session.step(name, async () => {
    const found = await client.getAgentCard();
    const skills = found.skills.map(({ id }) => id);
    equal('skills', skills, declared ? [SKILL, EXTENDED_SKILL] : [SKILL]);
    equal('name', found.name, card.name);
  });
}

const EVERYWHERE = [
  chinese,
  english,
  awkwardText,
  content,
  otherEnds,
  unknownTask,
  closedTask,
];
const STREAMING_ONLY = [leaveStream, resubscribe];
const ONCE = [cancel, pushConfigs, extendedCard];

async function play(report, baseUrl, transport, streaming, scenario) {
  const session = await report.step('the card resolves, a client is made from it', () =>
    Session.open(report, baseUrl, transport, streaming),
  );
  await scenario(session);
}

async function checkCard(report, baseUrl) {
  const { card } = await report.step('found at the well-known path', () =>
    Session.open(report, baseUrl, 'JSONRPC', false),
  );
  await report.step('names, skill, capabilities and transports', async () => {
    ensure(card.name && card.description && card.version, 'empty names');
    equal(
      'skills',
      card.skills.map(({ id }) => id),
      [SKILL],
    );
    equal('streaming', card.capabilities.streaming, true);
    equal('version', card.protocolVersion.split('.').slice(0, 2), ['0', '3']);
    const offered = (card.additionalInterfaces ?? []).map(({ transport }) => transport);
    const transports = new Set([card.preferredTransport, ...offered]);
    equal('transports', transports, new Set(TRANSPORTS));
  });
}

async function run(baseUrl) {
  const report = new Report();
  await guarded(report, 'card', () => checkCard(report, baseUrl));
  for (const transport of TRANSPORTS) {
    for (const streaming of [false, true]) {
      for (const scenario of [...EVERYWHERE, ...(streaming ? STREAMING_ONLY : ONCE)]) {
        const name = `${transport} ${streaming ? 'stream' : 'single'} ${scenario.name}`;
        await guarded(report, name, () => play(report, baseUrl, transport, streaming, scenario));
      }
    }
  }
  return report;
}

if (process.argv.length !== 3) {
  console.error('usage: conversation.js BASE_URL   (for example http://127.0.0.1:8080)');
  process.exit(2);
}
const { passed, failed } = await run(process.argv[2].replace(/\/$/, ''));
console.log(`${passed} passed, ${failed} failed`);
// Channels of gRPC that are left open would keep the process alive.
process.exit(failed === 0 && passed > 0 ? 0 : 1);
