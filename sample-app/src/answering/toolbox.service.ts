import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import type { ChatMessage, ToolCall } from '../model/chat.js';
import { ORDER_NUMBER } from '../orders/order.js';
import { OrderLookupService } from '../orders/order-lookup.service.js';
import type { Tool } from './tool.js';

const orderSchema = z.object({ order_number: z.string().regex(ORDER_NUMBER) });

/** The tools that the answer agent may use, and their execution. */
@Injectable()
export class ToolboxService {
  constructor(
    private readonly orders: OrderLookupService,
    private readonly knowledge: KnowledgeService,
  ) {}

  /** What can be done right now: no search without an index. */
  async tools(): Promise<Tool[]> {
    const indexNames = await this.knowledge.names();
    return [this.orderTool(), ...(isFilled(indexNames) ? [this.searchTool(indexNames)] : [])];
  }

  /** Runs one call. The model receives errors as text and can continue. */
  async run(tools: readonly Tool[], call: ToolCall): Promise<ChatMessage> {
    return { role: 'tool', toolCallId: call.id, content: await this.resultOf(tools, call) };
  }

  private async resultOf(tools: readonly Tool[], call: ToolCall): Promise<string> {
    try {
      const tool = tools.find(({ name }) => name === call.name);
      if (tool === undefined) return `There is no tool ${call.name}.`;
      return JSON.stringify(await tool.run(JSON.parse(call.arguments)));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private orderTool(): Tool {
    return {
      name: 'look_up_order',
      description: 'Where an order is and what may be done with it.',
      parameters: z.toJSONSchema(orderSchema),
      run: (args) => this.orders.lookUp(orderSchema.parse(args).order_number),
    };
  }

  private searchTool(indexNames: [string, ...string[]]): Tool {
    const schema = z.object({ index: z.enum(indexNames), query: z.string().min(1) });
    return {
      name: 'search_knowledge',
      description: 'Passages of the documentation that answer a question.',
      parameters: z.toJSONSchema(schema),
      run: (args) => {
        const { index, query } = schema.parse(args);
        return this.knowledge.search(index, query);
      },
    };
  }
}

function isFilled(names: string[]): names is [string, ...string[]] {
  return names.length > 0;
}
