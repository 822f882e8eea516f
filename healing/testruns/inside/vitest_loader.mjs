// Adds a reporter that reports to Heal to those that vitest creates, whatever its configuration.
let reporter = "";

export function initialize(data) {
  reporter = data.reporter;
}

const MAKES = /(?:async )?function createReporters\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*\{/;

export async function load(url, context, next) {
  const found = await next(url, context);
  if (!/\/vitest\/dist\/.*\.js$/.test(url) || !found.source) return found;
  const text = found.source.toString();
  if (!MAKES.test(text)) return found;
  const source = text.replace(MAKES, (all, names) => `${all} ${names} = [...${names}, new ReportingToHeal()];`);
  return { ...found, source: `import ReportingToHeal from ${JSON.stringify(reporter)}; ${source}` };
}
