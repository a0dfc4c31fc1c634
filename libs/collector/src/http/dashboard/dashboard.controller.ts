import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/needs.decorator.js';
import { DashboardFiles } from './dashboard-files.js';

/** Paths of the API. An unknown one is an error instead of the dashboard's page. */
const SERVICE_PATH = /^\/(api|v1|health)(\/|$)/;

/** Answers every path without a route of its own: with a file of the dashboard, or else with its page. */
@Controller()
@Needs('nothing')
export class DashboardController {
  constructor(private readonly files: DashboardFiles) {}

  @Get(['/', '*'])
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const path = request.url.split('?', 1)[0] ?? '/';
    if (SERVICE_PATH.test(path) || path.startsWith('/assets/')) {
      if (!this.files.sendFile(path, reply)) throw new NotFoundException(`Cannot GET ${path}`);
    } else if (!this.files.sendFile(path, reply)) this.files.sendPage(reply);
  }
}
