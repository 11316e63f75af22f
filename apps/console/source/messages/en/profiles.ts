import type { Shown } from '../shown.ts';

export const profiles = {
  profiles: {
    title: 'Profiles',
    about: (workspace: Shown) =>
      `A profile is one shop or client with its own data, days and currency. These are the profiles of ${workspace}.`,
    add: 'New profile',
    create: 'Create profile',
    createAbout: 'It starts empty. The next page shows how to connect it.',
    nameExample: 'Shop Chile',
    workspace: 'Workspace',
    current: 'current',
    archived: 'Archived',
    archivedOn: (day: Shown) => `Archived ${day}`,
    open: 'Open',
    openOf: (name: Shown) => `Open ${name}`,
    archive: 'Archive',
    archiveOf: (name: Shown) => `Archive ${name}`,
    archiveAsk: (name: Shown) => `Archive ${name}?`,
    archiveAbout:
      'All data is kept. Until you restore it, its reports, keys and links do not open, the tracker collects nothing and connections are not synced. Visits of that time are lost; payments of providers are read after a restore.',
    restore: 'Restore',
    restoreOf: (name: Shown) => `Restore ${name}`,
    remove: 'Delete',
    removeOf: (name: Shown) => `Delete ${name}`,
    removeAsk: (name: Shown) => `Delete ${name}?`,
    removeAbout:
      'Everything in it is deleted: visits, customers, payments, reports, connections and keys. You cannot undo this. To keep the data, archive the profile instead.',
    typeName: (name: Shown) => `Type ${name} to confirm`,
    removeButton: 'Delete profile',
    removeWorkspace: 'Delete workspace',
    removeWorkspaceAbout:
      'All profiles of the workspace are deleted with everything in them, and all members lose access. An owner can restore the workspace for seven days, under Account.',
    removeWorkspaceNow:
      'All profiles of the workspace are deleted with everything in them, and all members lose access. You cannot undo this.',
    deleteNow: 'Delete it now. It cannot be restored.',
    deletedWorkspaces: 'Deleted workspaces',
    restorableUntil: (day: Shown) => `Can be restored until ${day}`,
    noAccess: 'You cannot open this profile',
    noAccessAbout:
      'It was archived or deleted, or you are not a member of its workspace. Ask an owner of the workspace.',
    onlyOwner: 'Owners of the workspace can archive and delete profiles.',
    createHere: 'Create a profile, or restore an archived one.',
    askAdmin: 'An owner or admin of your workspace can create a profile. Then load this page again.',
    search: 'Find a profile',
    noMatch: 'No profile has this name.',
    kind: 'Profile',
    switchTo: (name: Shown) => `Profile: ${name}. Switch profile`,
  },
};
