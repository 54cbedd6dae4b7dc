"""Official clients as agents that run their tool loop themselves, streaming and not, and a customer of ten turns.

Each asks its model at the endpoint. Small models call tools that are not there, with arguments that nobody can read;
then the model is told so, and after ``ROUNDS`` answers in one turn the last text counts.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pytest_tau import adapters

MODEL = os.environ.get("MODEL", "openai/smol")
ROUNDS = 3
SAYS = [
    "Please look up who is on the list, with get_users.",
    "I am Nadia Brandt, user_1. Please create a task for me, titled: Buy tea.",
    "Yes, please do it.",
    "Now one titled: Buy milk. I am user_1.",
    "Yes, go ahead.",
    "Please set task_1 to completed.",
    "Yes, I am sure.",
    "Please set task_1 back to pending.",
    "Yes.",
    "Please look up the users again. How many tasks do I have?",
    "Thank you, that is all. ###STOP###",
]


class Customer:
    """Says ten things, whatever the agent answers."""

    def __init__(self, context: Any) -> None:
        self.left = iter(SAYS)

    def reply(self, messages: Any) -> str:
        return next(self.left)


class Loop:
    """The tool loop; a client fills in :meth:`ask`, which returns a text and calls of id, name and arguments."""

    streamed = False

    def __init__(self, context: Any) -> None:
        self.context = context
        self.tools = {tool.name: tool for tool in context.tools}
        self.schemas = [tool.schema for tool in context.tools]
        self.chat: list[Any] = [{"role": "system", "content": context.policy}]
        self.begin()

    def begin(self) -> None:
        """Make the client."""

    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        """One answer of the model, which joins the chat."""
        raise NotImplementedError

    def give(self, results: list[tuple[str, str]]) -> None:
        """Put results of calls into the chat."""
        self.chat += [{"role": "tool", "tool_call_id": id, "content": text} for id, text in results]

    def reply(self, messages: Any) -> str:
        self.chat.append({"role": "user", "content": messages[-1].content})
        text: str | None = None
        for _ in range(ROUNDS):
            text, calls = self.ask()
            if not calls:
                break
            self.give([(id, self.call(name, arguments)) for id, name, arguments in calls])
        return text or "I have done what I could."

    def call(self, name: str, arguments: str) -> str:
        """The result of a call, or what is wrong with it."""
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            return "Error: the arguments are no JSON"
        if name not in self.tools or not isinstance(given, dict):
            return f"Error: there is no such call of {name}"
        return str(self.tools[name](**given))


class OpenAIChat(Loop):
    def begin(self) -> None:
        from openai import OpenAI

        self.client = OpenAI(base_url=self.context.endpoint, api_key="none")

    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        tools: Any = self.schemas
        if self.streamed:
            with self.client.chat.completions.stream(model=MODEL, messages=self.chat, tools=tools) as stream:
                stream.until_done()
                said: Any = stream.get_final_completion().choices[0].message
        else:
            said = self.client.chat.completions.create(model=MODEL, messages=self.chat, tools=tools).choices[0].message
        calls = [(call.id, call.function.name, call.function.arguments) for call in said.tool_calls or []]
        made = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
        self.chat.append({"role": "assistant", "content": said.content, **({"tool_calls": made} if made else {})})
        return said.content, calls


class OpenAIResponses(OpenAIChat):
    """Goes on from the response before."""

    def begin(self) -> None:
        super().begin()
        self.before: str | None = None
        self.chat = []

    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        tools = [{"type": "function", "strict": False, **schema["function"]} for schema in self.schemas]
        asked: Any = {"model": MODEL, "input": self.chat, "tools": tools, "instructions": self.context.policy}
        if self.before:
            asked["previous_response_id"] = self.before
        if self.streamed:
            *_, last = self.client.responses.create(**asked, stream=True)  # its get_final_response() wants no cut one
            said = last.response
        else:
            said = self.client.responses.create(**asked)
        self.before, self.chat = said.id, []
        calls = [(item.call_id, item.name, item.arguments) for item in said.output if item.type == "function_call"]
        return said.output_text, calls

    def give(self, results: list[tuple[str, str]]) -> None:
        self.chat = [{"type": "function_call_output", "call_id": id, "output": text} for id, text in results]


class AnthropicMessages(Loop):
    def begin(self) -> None:
        from anthropic import Anthropic

        self.client = Anthropic(base_url=self.context.endpoint, api_key="none")
        self.chat = []

    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        specs = [schema["function"] for schema in self.schemas]
        tools = [{"name": s["name"], "description": s["description"], "input_schema": s["parameters"]} for s in specs]
        asked: Any = {
            "model": MODEL,
            "messages": self.chat,
            "tools": tools,
            "max_tokens": 64,
            "system": self.context.policy,
        }
        if self.streamed:
            with self.client.messages.stream(**asked) as stream:
                said: Any = stream.get_final_message()
        else:
            said = self.client.messages.create(**asked)
        self.chat.append(
            {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in said.content]}
        )
        calls = [(block.id, block.name, json.dumps(block.input)) for block in said.content if block.type == "tool_use"]
        return "".join(block.text for block in said.content if block.type == "text"), calls

    def give(self, results: list[tuple[str, str]]) -> None:
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in results]
        self.chat.append({"role": "user", "content": blocks})


class LiteLLM(Loop):
    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        import litellm

        at = {"custom_llm_provider": "openai", "api_base": self.context.endpoint, "api_key": "none"}
        answer: Any = litellm.completion(MODEL, self.chat, tools=self.schemas, stream=self.streamed, **at)
        if self.streamed:
            answer = litellm.stream_chunk_builder(list(answer), messages=self.chat)
        said = answer.choices[0].message
        self.chat.append(said.model_dump(exclude_none=True))
        return said.content, [(call.id, call.function.name, call.function.arguments) for call in said.tool_calls or []]


class LangChain(Loop):
    def begin(self) -> None:
        from langchain_openai import ChatOpenAI

        key: Any = "none"
        model = ChatOpenAI(model=MODEL, base_url=self.context.endpoint, api_key=key, streaming=self.streamed)
        self.model = model.bind_tools(adapters.langchain_tools(self.context))

    def ask(self) -> tuple[str | None, list[tuple[str, str, str]]]:
        said = self.model.invoke(self.chat)
        self.chat.append(said)
        broken = [(call["id"] or "", call["name"] or "", call["args"] or "") for call in said.invalid_tool_calls]
        calls = [(call["id"] or "", call["name"], json.dumps(call["args"])) for call in said.tool_calls]
        return said.text, calls + broken


class PydanticAI:
    streamed = False

    def __init__(self, context: Any) -> None:
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=context.endpoint, api_key="none"))
        tools = adapters.pydantic_ai_tools(context)
        self.agent = Agent(model, instructions=context.policy, tools=tools, retries=ROUNDS)
        self.memory: Any = None

    async def reply(self, messages: Any) -> str:
        if self.streamed:
            async with self.agent.run_stream(messages[-1].content, message_history=self.memory) as run:
                text = await run.get_output()
            self.memory = run.all_messages()
            return str(text)
        whole = await self.agent.run(messages[-1].content, message_history=self.memory)
        self.memory = whole.all_messages()
        return str(whole.output)


class Llama:
    streamed = False

    def __init__(self, context: Any) -> None:
        from llama_index.core.agent.workflow import FunctionAgent
        from llama_index.core.workflow import Context
        from llama_index.llms.openai_like import OpenAILike

        model = OpenAILike(
            MODEL, api_base=context.endpoint, api_key="none", is_chat_model=True, is_function_calling_model=True
        )
        tools: Any = adapters.llama_index_tools(context)
        self.agent = FunctionAgent(tools=tools, llm=model, system_prompt=context.policy, streaming=self.streamed)
        self.memory = Context(self.agent)

    async def reply(self, messages: Any) -> str:
        run = self.agent.run(
            messages[-1].content, ctx=self.memory, max_iterations=ROUNDS, early_stopping_method="generate"
        )
        return str(await run)


for _kind in (OpenAIChat, OpenAIResponses, AnthropicMessages, LiteLLM, LangChain, PydanticAI, Llama):
    globals()[f"{_kind.__name__}Streamed"] = type(f"{_kind.__name__}Streamed", (_kind,), {"streamed": True})
