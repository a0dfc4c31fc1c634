import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Needs } from '../access/needs.decorator.js';
import { DashboardFiles } from './dashboard-files.js';

/** Paths of the service itself: an unknown one is an error, not a page. */
const SERVICE_PATH = /^\/(api|v1|health)(\/|$)/;

/** Everything that no other route answers: a file of the dashboard, or else its page, which reads the address. */
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
