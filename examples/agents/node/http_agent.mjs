// An agent in Node behind an address, without any package:
//   node examples/agents/node/http_agent.mjs 8765 &
//   pytest --tau-domain mock --tau-agent http://127.0.0.1:8765/agent
// Each turn is a POST of {conversation_id, messages, tools, policy}; the answer is {content} or {tool_calls}.
import { createServer } from "node:http";

function turn({ messages }) {
  const last = messages.at(-1);
  if (last.role === "tool") return { content: "It is done. Is there anything else?" };
  // Ask your model here, with the policy and the tools of the request.
  if (/plants/.test(last.content))
    return { tool_calls: [{ name: "update_task_status", arguments: { task_id: "task_1", status: "completed" } }] };
  return { content: "Which task is it about?" };
}

createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(body ? turn(JSON.parse(body)) : { ok: true }));
}).listen(Number(process.argv[2] ?? 8765), "127.0.0.1", function () {
  console.log(`listening at http://127.0.0.1:${this.address().port}/agent`);
});
