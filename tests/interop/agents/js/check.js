// The supplier check: no model, no network, no state.
//
// In: what the user wrote, turn by turn. Out: what the agent does next, as one
// of {ask}, {end} and {report}. It says the same as `examples/due-diligence`,
// so that one driver can talk with both.

const CLAUSES = /[，,。;；\n]/;
const LABELS = ['region', 'registered region', '地区', '注册地区'];
const ENDINGS = {
  reject: 'reject',
  拒绝: 'reject',
  fail: 'fail',
  失败: 'fail',
  slow: 'slow',
  慢速: 'slow',
};
const ENGLISH = {
  supplier: 'Which supplier shall I check? For example: Check Star River Tech',
  region: 'Which region is the supplier registered in? For example: region: China',
  progress: "Checking the supplier's records",
  done: 'The supplier check is done',
  report: (supplier, region) =>
    `Supplier: ${supplier}\nRegistered region: ${region}\nTeaching conclusion: no high-risk items found`,
};
const CHINESE = {
  supplier: '请说明要尽调的供应商，例如：请尽调星河科技',
  region: '请补充供应商注册地区，例如：地区：中国',
  progress: '正在核对供应商信息',
  done: '供应商尽调已完成',
  report: (supplier, region) =>
    `供应商：${supplier}\n注册地区：${region}\n教学结论：未发现高风险项`,
};

export function nextStep(turns) {
  const lines = turns.flatMap((turn) => turn.split('\n'));
  const named = lines.map((line) => line.trim().toLowerCase());
  const ending = named.find((line) => Object.hasOwn(ENDINGS, line));
  if (ending) return { end: ENDINGS[ending] };

  const words = lines.some((line) => /[\u4e00-\u9fff]/.test(line)) ? CHINESE : ENGLISH;
  const supplier = lines.map(findSupplier).find(Boolean);
  const region = lines.map(findRegion).findLast(Boolean);
  if (!supplier) return { ask: words.supplier };
  if (!region) return { ask: words.region };
  const { progress, done } = words;
  return { report: words.report(supplier, region), progress, done };
}

// The name after `Check` or `尽调`, up to the end of its clause.
function findSupplier(line) {
  const found = /尽调(.*)/.exec(line) ?? /^\s*(?:please\s+)?check\s+(.*)/i.exec(line);
  return found && bare(found[1].split(CLAUSES)[0]);
}

// The value after `region:` or `地区：`, wherever it stands in the line.
function findRegion(line) {
  for (const clause of line.split(CLAUSES)) {
    const [, label, value] = /^([^:：]*)[:：](.*)$/.exec(clause) ?? [];
    if (label !== undefined && LABELS.includes(label.trim().toLowerCase())) return bare(value);
  }
  return undefined;
}

function bare(text) {
  return text.replace(/^[ .]+|[ .]+$/g, '');
}
