import { useMutation, useQueryClient } from '@tanstack/react-query';
import { signOut } from './api.js';
import { endSession } from './end-session.js';

export function SignOutButton() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      endSession(client);
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
