import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { endSession } from './end-session.js';

export function SignOutButton() {
  const queryClient = useQueryClient();
  const mutation = useMutation({
    mutationFn: () => client.browserSessions.signOut(),
    onSuccess: () => {
      endSession(queryClient);
    },
  });
  return (
    <button
      type="button"
      className="plain"
      disabled={mutation.isPending}
      onClick={() => {
        mutation.mutate();
      }}
    >
      {mutation.isError ? 'Sign-out failed, try again' : 'Sign out'}
    </button>
  );
}
