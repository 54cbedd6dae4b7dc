// An agent on the Vercel AI SDK as a program; its tools come over MCP, its model is asked at the trial's endpoint:
//   npm install --prefix examples/agents/node
//   pytest --tau-domain mock --tau-agent-llm openai/gpt-4.1-mini \
//     --tau-agent-command "node examples/agents/node/vercel_agent.mjs"
// With the word "stream" behind it, the answers are streamed.
import { createInterface } from "node:readline";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText } from "ai";

const mcp = await createMCPClient({ transport: { type: "http", url: process.env.TAU_MCP_URL } });
const asked = {
  model: createOpenAI({ baseURL: process.env.TAU_LLM_URL, apiKey: "none" })(process.env.TAU_MODEL),
  system: process.env.TAU_POLICY,
  tools: await mcp.tools(),
  stopWhen: stepCountIs(20),
};
const messages = [];

for await (const line of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: JSON.parse(line).messages.at(-1).content });
  const run = process.argv[2] === "stream" ? streamText({ ...asked, messages }) : await generateText({ ...asked, messages });
  const content = await run.text;
  messages.push(...(await run.response).messages);
  console.log(JSON.stringify({ content: content || "I have done what I could." }));
}
