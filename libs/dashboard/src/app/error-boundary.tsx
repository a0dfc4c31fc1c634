import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../shared/ui/notice.js';
import styles from './layout.module.css';

interface ErrorBoundaryProps {
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
    const reload = () => {
      window.location.reload();
    };
    return (
      <main className={styles.main}>
        <ErrorNotice title="This page crashed." error={this.state.error} onRetry={reload} />
      </main>
    );
  }
}
