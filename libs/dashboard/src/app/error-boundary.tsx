import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';
import styles from './layout.module.css';

interface ErrorBoundaryProps {
  /** `main` where nothing around it is the main part of the page. */
  frame: 'main' | 'div';
  children: ReactNode;
}

interface ErrorBoundaryState {
  error?: Error;
}

/** Shows an error of the dashboard itself instead of an empty window. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = {};

  static getDerivedStateFromError(thrown: unknown): ErrorBoundaryState {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    const Frame = this.props.frame;
    const reload = () => {
      window.location.reload();
    };
    return (
      <Frame className={Frame === 'main' ? styles.main : undefined}>
        <Page title="This page crashed">
          <ErrorNotice title="Could not show this page." error={this.state.error} onRetry={reload} />
        </Page>
      </Frame>
    );
  }
}
