// An agent on OpenAI's client for Node as a program; its tools come over MCP, its model is asked at the trial's endpoint:
//   npm install --prefix examples/agents/node
//   pytest --tau-domain mock --tau-agent-llm openai/gpt-4.1-mini \
//     --tau-agent-command "node examples/agents/node/openai_agent.mjs"
// With the word "stream" behind it, the answers are streamed.
import { createInterface } from "node:readline";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.TAU_LLM_URL, apiKey: "none" });
const stream = process.argv[2] === "stream";
let messages = [{ role: "system", content: process.env.TAU_POLICY }];

async function ask(method, params) {
  const response = await fetch(process.env.TAU_MCP_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()).result;
}

const tools = (await ask("tools/list", {})).tools.map(({ name, description, inputSchema: parameters }) => {
  const run = async (args) => (await ask("tools/call", { name, arguments: args })).content[0].text;
  return { type: "function", function: { name, description, parameters, parse: JSON.parse, function: run } };
});

for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: JSON.parse(line).messages.at(-1).content });
  const run = client.chat.completions.runTools({ model: process.env.TAU_MODEL, messages, tools, stream });
  const content = await run.finalContent();
  messages = [...run.messages];
  console.log(JSON.stringify({ content: content || "I have done what I could." }));
}
