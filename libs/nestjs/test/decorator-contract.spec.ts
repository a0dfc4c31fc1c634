import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  type INestApplication,
  Param,
  ParseIntPipe,
  Post,
  Query,
  SetMetadata,
  UseGuards,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiOperation, ApiProperty, ApiResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { IsString, MinLength } from 'class-validator';
import request from 'supertest';
import { Traced } from '../src/index.js';
import { TracerTestingModule } from '../src/testing.js';

class TicketDto {
  @ApiProperty()
  @IsString()
  @MinLength(3)
  text!: string;
}

class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const roles = new Reflector().get<string[] | undefined>('roles', context.getHandler()) ?? ['nobody'];
    return roles.includes(
      context.switchToHttp().getRequest<{ headers: { role?: string } }>().headers.role ?? '',
    );
  }
}

@Controller('above')
class TracedAbove {
  @Traced('ticket')
  @Get(':id')
  @SetMetadata('roles', ['admin'])
  @UseGuards(RolesGuard)
  @Header('x-mark', 'set')
  @ApiOperation({ summary: 'one ticket' })
  @ApiResponse({ status: 200, type: TicketDto })
  get(@Param('id', ParseIntPipe) id: number, @Query('q') q: string): unknown {
    return { id, q };
  }

  @Traced('create')
  @Post()
  @HttpCode(202)
  @UsePipes(new ValidationPipe({ transform: true }))
  @ApiOperation({ summary: 'new ticket' })
  create(@Body() body: TicketDto): unknown {
    return { isDto: body instanceof TicketDto };
  }
}

@Controller('below')
class TracedBelow {
  @Get(':id')
  @SetMetadata('roles', ['admin'])
  @UseGuards(RolesGuard)
  @Header('x-mark', 'set')
  @ApiOperation({ summary: 'one ticket' })
  @ApiResponse({ status: 200, type: TicketDto })
  @Traced('ticket')
  get(@Param('id', ParseIntPipe) id: number, @Query('q') q: string): unknown {
    return { id, q };
  }

  @Post()
  @HttpCode(202)
  @UsePipes(new ValidationPipe({ transform: true }))
  @ApiOperation({ summary: 'new ticket' })
  @Traced('create')
  create(@Body() body: TicketDto): unknown {
    return { isDto: body instanceof TicketDto };
  }
}

@Traced('class')
@Controller('whole')
class TracedWhole {
  @Get(':id')
  @SetMetadata('roles', ['admin'])
  @UseGuards(RolesGuard)
  @Header('x-mark', 'set')
  @ApiOperation({ summary: 'one ticket' })
  @ApiResponse({ status: 200, type: TicketDto })
  get(@Param('id', ParseIntPipe) id: number, @Query('q') q: string): unknown {
    return { id, q };
  }

  @Post()
  @HttpCode(202)
  @UsePipes(new ValidationPipe({ transform: true }))
  @ApiOperation({ summary: 'new ticket' })
  create(@Body() body: TicketDto): unknown {
    return { isDto: body instanceof TicketDto };
  }
}

@Controller('plain')
class Untraced {
  @Get(':id')
  @SetMetadata('roles', ['admin'])
  @UseGuards(RolesGuard)
  @Header('x-mark', 'set')
  @ApiOperation({ summary: 'one ticket' })
  @ApiResponse({ status: 200, type: TicketDto })
  get(@Param('id', ParseIntPipe) id: number, @Query('q') q: string): unknown {
    return { id, q };
  }

  @Post()
  @HttpCode(202)
  @UsePipes(new ValidationPipe({ transform: true }))
  @ApiOperation({ summary: 'new ticket' })
  create(@Body() body: TicketDto): unknown {
    return { isDto: body instanceof TicketDto };
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('@Traced on a controller, on %s', (_platform, createAdapter) => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot()],
      controllers: [TracedAbove, TracedBelow, TracedWhole, Untraced],
    }).compile();
    const adapter = createAdapter();
    app = module.createNestApplication(adapter as ExpressAdapter, { logger: false } as object);
    await app.init();
    if (adapter instanceof FastifyAdapter) {
      await (app as NestFastifyApplication).getHttpAdapter().getInstance().ready();
    }
  });
  afterAll(() => app.close());

  const places = [['above'], ['below'], ['whole']];

  it.each(places)('%s other decorators: the guard still reads its metadata', async (place) => {
    await request(app.getHttpServer()).get(`/${place}/1`).set('role', 'user').expect(403);
    await request(app.getHttpServer()).get(`/${place}/1`).set('role', 'admin').expect(200);
  });

  it.each(places)('%s other decorators: parameters, pipes and headers work', async (place) => {
    const { body, headers } = await request(app.getHttpServer()).get(`/${place}/7?q=x`).set('role', 'admin');
    expect([body, headers['x-mark']]).toEqual([{ id: 7, q: 'x' }, 'set']);
    await request(app.getHttpServer()).get(`/${place}/seven`).set('role', 'admin').expect(400);
  });

  it.each(places)('%s other decorators: bodies are validated and converted to their class', async (place) => {
    await request(app.getHttpServer()).post(`/${place}`).send({ text: 'a' }).expect(400);
    const { body } = await request(app.getHttpServer()).post(`/${place}`).send({ text: 'abc' }).expect(202);
    expect(body).toEqual({ isDto: true });
  });

  it.each(places)(
    '%s other decorators: the OpenAPI document equals that of an untraced controller',
    (place) => {
      const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
      const documented = (name: string): string =>
        JSON.stringify([paths[`/${name}/{id}`], paths[`/${name}`]]).replace(
          /"(operationId|tags)":("[^"]*"|\[[^\]]*\])/g,
          '',
        );
      expect(documented(place)).toBe(documented('plain'));
      expect(documented(place)).toContain('one ticket');
    },
  );
});
