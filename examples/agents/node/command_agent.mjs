// An agent in Node as a program that calls the tools itself, over MCP:
//   pytest --tau-domain mock --tau-agent-command "node examples/agents/node/command_agent.mjs"
// Each turn is a line {conversation_id, messages, …} on the standard input and a line {content} on the output.
// TAU_MCP_URL has this trial's tools; TAU_POLICY, TAU_LLM_URL and others are in the environment as well.
import { createInterface } from "node:readline";

async function call(name, args) {
  const response = await fetch(process.env.TAU_MCP_URL, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return (await response.json()).result.content[0].text;
}

for await (const line of createInterface({ input: process.stdin })) {
  const last = JSON.parse(line).messages.at(-1).content;
  let content = "Which task is it about?";
  if (/plants/.test(last)) {
    const found = await call("update_task_status", { task_id: "task_1", status: "completed" });
    content = `It is ${JSON.parse(found).status}. Is there anything else?`;
  }
  console.log(JSON.stringify({ content }));
}
