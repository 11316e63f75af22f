import type { profiles as english } from '../en/profiles.ts';

export const profiles: typeof english = {
  profiles: {
    title: 'Perfiles',
    about: (workspace) =>
      `Un perfil es una tienda o un cliente con sus propios datos, días y moneda. Estos son los perfiles de ${workspace}.`,
    add: 'Nuevo perfil',
    create: 'Crear perfil',
    createAbout: 'Empieza vacío. La página siguiente muestra cómo conectarlo.',
    nameExample: 'Tienda Chile',
    workspace: 'Espacio de trabajo',
    current: 'actual',
    archived: 'Archivados',
    archivedOn: (day) => `Archivado el ${day}`,
    open: 'Abrir',
    openOf: (name) => `Abrir ${name}`,
    archive: 'Archivar',
    archiveOf: (name) => `Archivar ${name}`,
    archiveAsk: (name) => `¿Archivar ${name}?`,
    archiveAbout:
      'Todos los datos se conservan. Hasta que lo restaures, sus informes, claves y enlaces no se abren, el rastreador no registra nada y las conexiones no se sincronizan. Las visitas de ese tiempo se pierden; los pagos de los proveedores se leen al restaurarlo.',
    restore: 'Restaurar',
    restoreOf: (name) => `Restaurar ${name}`,
    remove: 'Eliminar',
    removeOf: (name) => `Eliminar ${name}`,
    removeAsk: (name) => `¿Eliminar ${name}?`,
    removeAbout:
      'Se elimina todo lo que contiene: visitas, clientes, pagos, informes, conexiones y claves. No se puede deshacer. Para conservar los datos, archiva el perfil.',
    typeName: (name) => `Escribe ${name} para confirmar`,
    removeButton: 'Eliminar perfil',
    removeWorkspace: 'Eliminar espacio de trabajo',
    removeWorkspaceAbout:
      'Se eliminan todos los perfiles del espacio con todo lo que contienen, y todos los miembros pierden el acceso. Un propietario puede restaurar el espacio durante siete días, en Cuenta.',
    removeWorkspaceNow:
      'Se eliminan todos los perfiles del espacio con todo lo que contienen, y todos los miembros pierden el acceso. No se puede deshacer.',
    deleteNow: 'Eliminarlo ahora. No se podrá restaurar.',
    deletedWorkspaces: 'Espacios de trabajo eliminados',
    restorableUntil: (day) => `Se puede restaurar hasta el ${day}`,
    noAccess: 'No puedes abrir este perfil',
    noAccessAbout:
      'Se archivó o se eliminó, o no perteneces a su espacio de trabajo. Pregunta a un propietario del espacio.',
    onlyOwner: 'Los propietarios del espacio de trabajo pueden archivar y eliminar perfiles.',
    createHere: 'Crea un perfil o restaura uno archivado.',
    askAdmin:
      'Un propietario o administrador de tu espacio de trabajo puede crear un perfil. Después vuelve a cargar esta página.',
    search: 'Buscar un perfil',
    noMatch: 'Ningún perfil se llama así.',
    kind: 'Perfil',
    switchTo: (name) => `Perfil: ${name}. Cambiar de perfil`,
  },
};
