import type { ads as english } from '../en/ads.ts';

export const ads: typeof english = {
  ads: {
    picture: (name) => `Imagen de ${name}`,
    what: (kind, level) => `${kind}: ${level}`,
    withRunning: (number, shown) => `, con ${shown} ${number === 1 ? 'anuncio activo' : 'anuncios activos'}`,
    about:
      'Cada cambio hecho desde aquí en las plataformas de anuncios, con lo que había antes y después. Un cambio se simula primero, sin enviar nada.',
    nothingChanged: 'Aún no se ha cambiado nada',
    openBefore: 'Abre',
    openAfter: 'y pulsa Pausar junto a una: verás lo que pasaría antes de que pase.',
    caption: 'Cambios en las plataformas de anuncios, del más reciente al más antiguo',
    change: 'Cambio',
    by: (who) => `por ${who}`,
    takenBack: (state) => `Deshecho: ${state}.`,
    changed: (name, before, after) => `${name}: antes ${before}, ahora ${after}.`,
    tried: (name, before, after) => `Simulado sin enviar nada: ${name} pasaría de ${before} a ${after}`,
    mayRestart: 'Es posible que la plataforma vuelva a la fase de aprendizaje.',
    pauseNow: 'Pausar ahora',
    resumeNow: 'Reanudar ahora',
    aDay: (amount) => `${amount} al día`,
    undoByApi: 'Este cambio se deshace mediante la API.',
  },
  exports: {
    about:
      'Lo que se les cuenta a las plataformas de anuncios de tus resultados, para que busquen más como ellos. Cada resultado se envía una sola vez, con un único id.',
    nothing: 'Aún no se ha enviado nada',
    connectFirst: 'Conecta una cuenta de anuncios y di qué resultados recibe:',
    caption: 'Ejecuciones de las exportaciones, de la más reciente a la más antigua',
    run: 'Ejecución',
    next: 'Qué enviaría la próxima ejecución',
    dryRun: 'Es una simulación: no se envía nada.',
    nothingWaits: 'No hay nada pendiente de enviar.',
    hashed: (fields) => `, con ${fields} en forma de hash`,
  },
};
